// SPDX-License-Identifier: Apache-2.0
// npm run picture: makes docs/images/demo.webp, the picture of the README, from the demo in build/demo.
import {fileURLToPath} from 'node:url';
import puppeteer from 'puppeteer-core';
import {serve} from '../scripts/serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const {url, close} = await serve(`${root}build/demo`);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
});
const page = await browser.newPage();
await page.emulateMediaFeatures([
  {name: 'prefers-color-scheme', value: 'light'},
  {name: 'prefers-reduced-motion', value: 'reduce'},
]);
await page.setViewport({width: 1120, height: 780});
await page.goto(`${url}#words=browser+rhythm+vineyard&beam=4`);
await page.waitForSelector('html[data-state=ready]');
// The picture shows the page from the words to the beam tree. This fits on the first screen of the README.
const {y, height} = await page.evaluate(() => {
  const [form, stepper] = ['#form', '.stepper'].map((name) => document.querySelector(name).getBoundingClientRect());
  return {y: form.top - 16, height: stepper.bottom - form.top + 24};
});
const path = `${root}docs/images/demo.webp`;
await page.screenshot({path, clip: {x: 0, y, width: 1120, height}, quality: 80});
await browser.close();
await close();
