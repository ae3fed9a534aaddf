import {addon as ov} from 'wasmvino';

// The ids that a tokenizer gives. i64 inputs take plain numbers, too.
const ids = [101, 7592, 2088, 102];
const tokens = new ov.Tensor('i64', [1, ids.length], ids);
console.log(tokens.getElementType(), tokens.getShape(), tokens.data);
