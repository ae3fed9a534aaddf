import {addon as ov} from 'wasmvino';
import {readFile} from 'node:fs/promises';

await ov.ready;
const xml = await readFile('strange.xml');
const {operations, problems} = ov.inspect(xml, new Uint8Array());
for (const {type, count, supported} of operations) {
  console.log(type, count, supported ? '' : '← not supported');
}
for (const {layer, message} of problems) console.log(`${layer}: ${message}`);
