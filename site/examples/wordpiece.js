// WordPiece, the tokenizer of BERT and MiniLM (uncased).

/**
 * Creates a tokenizer.
 * @param {string[]} vocabulary token of each id; "▁" marks tokens that start a word
 * @returns {(text: string) => number[]} converts a text to ids, with [CLS] and [SEP]
 */
export function wordPiece(vocabulary) {
  const ids = new Map(vocabulary.map((token, id) => [token, id]));
  const special = ['[UNK]', '[CLS]', '[SEP]'];
  const [unknown, begin, end] = special.map((token) => ids.get(token));

  // Repeatedly takes the longest token that matches.
  function pieces(word) {
    const found = [];
    for (let from = 0; from < word.length; ) {
      let to = word.length;
      const token = () => ids.get((from === 0 ? '▁' : '') + word.slice(from, to));
      while (to > from && token() === undefined) to -= 1;
      if (to === from) return [unknown];
      found.push(token());
      from = to;
    }
    return found;
  }

  return (text) => {
    const plain = text.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '');
    // Punctuation, Chinese characters, and runs of everything else.
    const pattern = /[\p{P}\p{S}]|\p{Script=Han}|[^\s\p{P}\p{S}\p{Script=Han}]+/gu;
    const words = plain.match(pattern) ?? [];
    return [begin, ...words.flatMap(pieces).slice(0, 254), end];
  };
}
