import {addon as ov} from 'wasmvino';

const {memory, ...others} = ov.capabilities();
for (const [name, {available, reason}] of Object.entries(others)) {
  console.log(`${name}: ${available} (${reason})`);
}
console.log(`memory: ${memory.bytes} bytes (${memory.reason})`);
