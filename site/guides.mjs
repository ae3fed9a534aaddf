// SPDX-License-Identifier: Apache-2.0
// The guides in the order of the sidebar.
export const guides = [
  {
    text: 'Start',
    items: [
      {text: 'First model', link: '/guides/first-model'},
      {text: 'Get a model that runs', link: '/guides/convert'},
      {text: 'Browsers and limits', link: '/guides/browsers'},
    ],
  },
  {
    text: 'Inputs and outputs',
    items: [
      {text: 'Calls, tensors and memory', link: '/guides/calls'},
      {text: 'Images, sound and text', link: '/guides/inputs'},
      {text: 'Dynamic shapes', link: '/guides/shapes'},
      {text: 'State', link: '/guides/state'},
      {text: 'Several models', link: '/guides/several'},
    ],
  },
  {
    text: 'In production',
    items: [
      {text: 'Workers and threads', link: '/guides/threads'},
      {text: 'Bundlers', link: '/guides/bundlers'},
      {text: 'Size, caching, offline', link: '/guides/caching'},
      {text: 'Quantised models', link: '/guides/quantisation'},
      {text: 'Profile a slow model', link: '/guides/profiling'},
      {text: 'Errors', link: '/guides/errors'},
      {text: 'Security', link: '/guides/security'},
    ],
  },
  {
    text: 'Coming from',
    items: [{text: 'onnxruntime-web, tfjs, openvino-node', link: '/guides/coming-from'}],
  },
];
