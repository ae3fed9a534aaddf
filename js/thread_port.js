// SPDX-License-Identifier: Apache-2.0
// The beginning of the script of a thread. If a page starts the thread for an engine in a worker, it sends a port to that
// worker first. All other messages of the thread then go through the port.
addEventListener('message', ({data}) => {
  if (!(data instanceof MessagePort)) return;
  self.postMessage = (message, transfer) => data.postMessage(message, transfer);
  data.onmessage = (event) => self.onmessage(event);
});
