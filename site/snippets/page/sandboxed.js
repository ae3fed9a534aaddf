// The model runs in a worker that can be ended at any time.
// It cannot block the page.
const worker = new Worker('worker.js', {type: 'module'});
const answer = new Promise((resolve, reject) => {
  worker.onmessage = ({data: {scores}}) => resolve(scores);
  setTimeout(() => reject(new Error('the model took too long')), 20_000);
});
worker.postMessage({id: 1, word: 'browser'});
try {
  console.log('scores, best first:', ...(await answer));
} finally {
  worker.terminate();
}
