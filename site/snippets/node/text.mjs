import {addon as ov} from 'wasmvino';

// The ids from a tokenizer. i64 inputs accept plain numbers too.
const ids = [101, 7592, 2088, 102];
const tokens = new ov.Tensor('i64', [1, ids.length], ids);
console.log(tokens.getElementType(), tokens.getShape(), tokens.data);
