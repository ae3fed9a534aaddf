const worker = new Worker('worker.js', {type: 'module'});
const waiting = new Map();
worker.onmessage = ({data: {id, scores}}) => waiting.get(id)(scores);

let calls = 0;
function decode(word) {
  return new Promise((resolve) => {
    waiting.set(++calls, resolve);
    worker.postMessage({id: calls, word});
  });
}

console.log('scores, best first:', ...(await decode('browser')));
