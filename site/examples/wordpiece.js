// WordPiece, the tokenizer of BERT and MiniLM (uncased).

/**
 * @param {string[]} vocabulary token of each id; those that begin a word are marked by "▁"
 * @returns {(text: string) => number[]} ids of a text, with [CLS] and [SEP]
 */
export function wordPiece(vocabulary) {
  const ids = new Map(vocabulary.map((token, id) => [token, id]));
  const [unknown, begin, end] = ['[UNK]', '[CLS]', '[SEP]'].map((token) => ids.get(token));

  // The longest token that fits, again and again.
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
    const words = plain.match(/[\p{P}\p{S}]|\p{Script=Han}|[^\s\p{P}\p{S}\p{Script=Han}]+/gu) ?? [];
    return [begin, ...words.flatMap(pieces).slice(0, 254), end];
  };
}
