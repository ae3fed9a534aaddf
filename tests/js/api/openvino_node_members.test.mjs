// SPDX-License-Identifier: Apache-2.0
// Calls every member that openvino-node declares, with right and with wrong arguments. Results and texts of errors are those of
// openvino-node.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, describe, it} from 'node:test';
import ts from 'typescript-5';
import {addModel, bytes, freshPackage, irText, root} from '../engine.mjs';

const declared = ts.createSourceFile(
  'addon.d.ts',
  readFileSync(join(root, 'node_modules/openvino-node/types/addon.d.ts'), 'utf8'),
  ts.ScriptTarget.ES2022,
  true,
);
const membersOf = ({name, members}) => members.map((member) => (ts.isConstructSignatureDeclaration(member) ? `new ${name.text}` : `${name.text}.${member.name.text}`));
const declaredMembers = new Set(declared.statements.filter(ts.isInterfaceDeclaration).flatMap(membersOf));

const ov = await freshPackage();
const warnings = console.warn;
console.warn = () => {}; // properties without an effect
const folder = mkdtempSync(join(tmpdir(), 'wasmvino-members-'));
after(() => {
  console.warn = warnings;
  rmSync(folder, {recursive: true});
});

const value = (names) => [{type: 'f32', shape: [1, 4], names}];
const layers = [
  {name: 'data', type: 'Parameter', outputs: value('data')},
  {name: 'relu', type: 'ReLU', inputs: ['data'], outputs: value('out')},
  {name: 'result', type: 'Result', inputs: ['relu']},
];
const path = join(folder, 'model.xml');
writeFileSync(path, irText(layers, 'rectified'));
writeFileSync(join(folder, 'model.bin'), '');

const core = new ov.Core();
const read = () => core.readModelSync(path);
const model = read();
const compiled = core.compileModelSync(model, 'CPU');
const twoInputs = core.compileModelSync(core.readModelSync(addModel()), 'CPU');
const exported = compiled.exportModelSync();
const numbers = Float32Array.of(-1, 2, -3, 4);
const rectified = [0, 2, 0, 4];
const input = new ov.Tensor('f32', [1, 4], numbers);
const output = () => new ov.Tensor('f32', [1, 4]);
const request = () => compiled.createInferRequest();
const ran = () => {
  const made = request();
  made.infer([input]);
  return made;
};
const processor = () => new ov.preprocess.PrePostProcessor(read());
const queue = (callback = () => {}) => {
  const made = new ov.AsyncInferQueue(compiled, 2);
  if (callback) made.setCallback(callback);
  return made;
};

const incorrect = (method, provided, ...allowed) =>
  `'${method}' method called with incorrect parameters.\nProvided signature: (${provided}) \nAllowed signatures:\n${allowed.map((form) => `- (${form})\n`).join('')}`;
const forms = ['string, string', 'Model, string', 'string, string, object', 'Model, string, object'];
const isA = (type) => (result) => result instanceof type;
const scores = (result) => assert.deepEqual([...result.out.data], rectified);
const runs = (made) => scores(made.createInferRequest().infer([input]));
const wrongSize = /Memory allocated using shape and element::type mismatch/;
const noParameters = /Function does not take any parameters\./;
const wrongNumber = /Wrong number of parameters\./;
const noType = /Cannot create ov::element::Type/;
const notATensor = /Argument #\d must be a Tensor\./;

// Each call gives a value, passes a check, or fails with a text: [call, value | check] or [call, text or pattern, 'fails'].
const fails = 'fails';
const members = {
  'new Core': [[() => new ov.Core(), isA(ov.Core)]],
  'Core.addExtension': [
    [() => core.addExtension(), /addExtension method applies one argument of string type/, fails],
    [() => core.addExtension('not_there'), /Cannot load library 'not_there'/, fails],
  ],
  'Core.compileModel': [
    [() => core.compileModel(model, 'CPU', {PERFORMANCE_HINT: 'THROUGHPUT'}), runs],
    [() => core.compileModel(path, 'CPU'), runs],
    [() => core.compileModel(model), /Invalid number of arguments -> 1/, fails],
    [() => core.compileModel(model, 'CPU', 'text'), /incorrect parameters/, fails],
    [() => core.compileModel(model, 'CPU', {PERFORMANCE_HINT: {}}), /Cannot convert to ov::Any/, fails],
  ],
  'Core.compileModelSync': [
    ...['CPU', 'AUTO', 'BATCH:CPU', 'MULTI:CPU', 'HETERO:CPU'].map((device) => [() => core.compileModelSync(model, device), runs]),
    [() => core.compileModelSync(path, 'CPU', {PERFORMANCE_HINT: 'THROUGHPUT'}), runs],
    [() => core.compileModelSync(model), incorrect('compileModelSync', 'object', ...forms), fails],
    [() => core.compileModelSync(model, 'CPU', 'text'), incorrect('compileModelSync', 'object, string, string', ...forms), fails],
    [() => core.compileModelSync(model, 'CPU', {PERFORMANCE_HINT: {}}), /Cannot convert to ov::Any/, fails],
  ],
  'Core.getAvailableDevices': [[() => core.getAvailableDevices(), ['CPU']]],
  'Core.getProperty': [
    [() => core.getProperty('CPU', 'SUPPORTED_PROPERTIES'), Array.isArray],
    [() => core.getProperty('NUM_STREAMS'), 1],
    [() => core.getProperty(), /Invalid arguments of get_property function/, fails],
    [() => core.getProperty('CPU', 'NOT_THERE'), /Unsupported property NOT_THERE by CPU plugin/, fails],
  ],
  'Core.getVersions': [
    [() => Object.keys(core.getVersions('CPU').CPU), ['buildNumber', 'description']],
    [() => core.getVersions(), 'getVersions() method expects 1 argument of string type.', fails],
    [() => core.getVersions({}), 'The argument in getVersions() method must be a string or convertible to a string.', fails],
  ],
  'Core.importModel': [
    [() => core.importModel(exported, 'CPU', {NUM_STREAMS: 1}), runs],
    [() => core.importModel(new ov.Tensor('u8', [exported.length], new Uint8Array(exported)), 'CPU'), runs],
    ...[[0.5, 'CPU'], [exported, 5], [exported, 'CPU', 'text']].map((args) => [
      () => core.importModel(...args),
      /'importModel' method called with incorrect parameters\./,
      fails,
    ]),
  ],
  'Core.importModelSync': [
    [() => core.importModelSync(exported, 'CPU'), runs],
    [() => core.importModelSync(new ov.Tensor('u8', [exported.length], new Uint8Array(exported)), 'CPU', {NUM_STREAMS: 1}), runs],
    [() => core.importModelSync(0.5, 'CPU'), /^The first argument must be of type Buffer\. 'importModelSync' method called with incorrect parameters\./, fails],
    [() => core.importModelSync(exported, numbers), /^The second argument must be of type String\. 'importModelSync'/, fails],
    [() => core.importModelSync(exported, 'CPU', 'test'), /^Passed Napi::Value must be an object\. 'importModelSync'/, fails],
    [() => core.importModelSync(exported, 'CPU', numbers), /^NotFound: Unsupported property 0 by CPU plugin\./, fails],
  ],
  'Core.queryModel': [
    [() => core.queryModel(model, 'CPU'), {data: 'CPU', relu: 'CPU', result: 'CPU'}],
    ...[[], ['text'], [model, 'CPU', 'text']].map((args) => [() => core.queryModel(...args), /'queryModel' method called with incorrect parameters\./, fails]),
  ],
  'Core.readModel': [
    [() => core.readModel(path), isA(ov.Model)],
    [() => core.readModel(path, join(folder, 'model.bin')), isA(ov.Model)],
    [() => core.readModel(irText(layers), new ov.Tensor('u8', [0])), isA(ov.Model)],
    [() => core.readModel(bytes(irText(layers)), new Uint8Array(0)), isA(ov.Model)],
    [() => core.readModel(core), /'readModel' method called with incorrect parameters\./, fails],
  ],
  'Core.readModelSync': [
    [() => core.readModelSync(path, join(folder, 'model.bin')), isA(ov.Model)],
    [() => core.readModelSync(irText(layers), new ov.Tensor('u8', [0])), isA(ov.Model)],
    [() => core.readModelSync(bytes(irText(layers))), isA(ov.Model)],
    [() => core.readModelSync(core), /'readModelSync' method called with incorrect parameters\./, fails],
  ],
  'Core.setProperty': [
    [() => (core.setProperty({CACHE_DIR: 'cache'}), core.getProperty('CACHE_DIR')), 'cache'],
    [() => (core.setProperty('CPU', {INFERENCE_NUM_THREADS: 1}), core.getProperty('CPU', 'INFERENCE_NUM_THREADS')), 1],
    [() => core.setProperty(), /Properties parameter must be an object/, fails],
    [() => core.setProperty('CPU'), /Properties parameter must be an object/, fails],
    [() => core.setProperty('CPU', {}, {}), /setProperty applies 1 or 2 arguments only/, fails],
  ],
  'new Model': [[() => new ov.Model(), /A Model cannot be created with new/, fails]],
  'Model.clone': [
    [() => core.compileModelSync(model.clone(), 'CPU'), runs],
    [() => model.clone(), model],
    [() => model.clone(1), /'clone' method called with incorrect parameters\./, fails],
  ],
  'Model.getFriendlyName': [
    [() => model.getFriendlyName(), 'rectified'],
    [() => model.getFriendlyName(1), /getFriendlyName\(\) does not take any arguments/, fails],
  ],
  'Model.getName': [[() => model.getName(), 'rectified']],
  'Model.getOps': [[() => model.getOps().map((op) => op.getName()), ['data', 'relu', 'result']]],
  'Model.getOutputElementType': [
    [() => model.getOutputElementType(0), 'f32'],
    ...[[], ['text'], [0, 1], [3.14]].map((args) => [
      () => model.getOutputElementType(...args),
      /'getOutputElementType' method called with incorrect parameters/,
      fails,
    ]),
    [() => model.getOutputElementType(1), /Output port for index 1 was not found/, fails],
  ],
  'Model.getOutputShape': [
    [() => model.getOutputShape(0), [1, 4]],
    [() => model.getOutputShape(), /Invalid argument\. Expected a single number\./, fails],
  ],
  'Model.getOutputSize': [
    [() => model.getOutputSize(), 1],
    [() => model.getOutputSize(1), 'getOutputSize() does not accept any arguments.', fails],
  ],
  'Model.input': [
    ...[[], [0], ['data']].map((args) => [() => model.input(...args).toString(), 'data']),
    [() => model.input(0, 1), /Invalid number of arguments -> 2/, fails],
    [() => model.input({}), /Error while getting model inputs/, fails],
    [() => model.input('text'), /Port for tensor name text was not found\./, fails],
  ],
  'Model.inputs': [[() => model.inputs.map(String), ['data']]],
  'Model.isDynamic': [
    [() => model.isDynamic(), false],
    [() => read().reshape('[?,4]').isDynamic(), true],
    [() => model.isDynamic(1), 'isDynamic() does not accept any arguments.', fails],
  ],
  'Model.output': [
    ...[[], [0], ['out']].map((args) => [() => model.output(...args).toString(), 'out']),
    [() => model.output(0, 1), /Invalid number of arguments -> 2/, fails],
    [() => model.output({}), /Error while getting model outputs/, fails],
  ],
  'Model.outputs': [[() => model.outputs.map(String), ['out']]],
  'Model.reshape': [
    [() => read().reshape('[?,1..3]').input().getPartialShape().toString(), '[?,1..3]'],
    [() => read().reshape(new ov.PartialShape('2,4')).output().getShape(), [2, 4]],
    [() => read().reshape(new Map([['data', '3,4']])).output().getShape(), [3, 4]],
    [() => read().reshape(new Map([[0, new ov.PartialShape('3,4')]]), {}).output().getShape(), [3, 4]],
    [() => read().reshape(), /'reshape' method called with incorrect parameters\./, fails],
  ],
  'Model.setFriendlyName': [
    [() => read().setFriendlyName('other'), undefined],
    ...[[], [123], ['a', 'b']].map((args) => [() => model.setFriendlyName(...args), /Expected a single string argument for the friendly name/, fails]),
    [() => {
      const named = read();
      named.setFriendlyName('other');
      const other = named.getFriendlyName();
      named.setFriendlyName('');
      return [other, named.getFriendlyName(), named.getName()];
    }, ['other', 'rectified', 'rectified']],
  ],
  'new Node': [[() => new ov.Node(), /A Node cannot be created with new/, fails]],
  'Node.getName': [[() => model.getOps()[1].getName(), 'relu']],
  'new CompiledModel': [[() => new ov.CompiledModel(), /A CompiledModel cannot be created with new/, fails]],
  'CompiledModel.inputs': [[() => compiled.inputs.map(String), ['data']]],
  'CompiledModel.outputs': [[() => compiled.outputs.map(String), ['out']]],
  'CompiledModel.getProperty': [
    [() => core.compileModelSync(path, 'BATCH:CPU', {AUTO_BATCH_TIMEOUT: '1'}).getProperty('AUTO_BATCH_TIMEOUT'), '1'],
    [() => compiled.getProperty(), /'getProperty' method called with incorrect parameters/, fails],
    [() => compiled.getProperty('NOT_THERE'), /Unsupported property NOT_THERE/, fails],
  ],
  'CompiledModel.createInferRequest': [[() => compiled.createInferRequest(), isA(ov.InferRequest)]],
  'CompiledModel.exportModelSync': [[() => compiled.exportModelSync(), isA(Buffer)]],
  'CompiledModel.output': [
    ...[[], [0], ['out']].map((args) => [() => compiled.output(...args).getShape(), [1, 4]]),
    [() => twoInputs.output(5), /Output port for index 5 was not found!/, fails],
  ],
  'CompiledModel.input': [
    ...[[], [0], ['data']].map((args) => [() => compiled.input(...args), isA(ov.ConstOutput)]),
    [() => twoInputs.input(), /The model has 2 inputs/, fails],
  ],
  'CompiledModel.setProperty': [
    [() => (compiled.setProperty({AUTO_BATCH_TIMEOUT: '123'}), compiled.getProperty('AUTO_BATCH_TIMEOUT')), 123],
    [() => compiled.setProperty({}), undefined],
    ...[[], [123], [{}, {}]].map((args) => [() => compiled.setProperty(...args), /'setProperty' method called with incorrect parameters/, fails]),
  ],
  'new Tensor': [
    [() => new ov.Tensor(ov.element.f32, [1, 2]).getSize(), 2],
    [() => new ov.Tensor('f32', [1, 2.9]).getShape(), [1, 2]],
    [() => new ov.Tensor('f32', Int32Array.of(1, 2)).getShape(), [1, 2]],
    [() => new ov.Tensor(['a', 'b']).getData(), ['a', 'b']],
    [() => new ov.Tensor('f32'), /Invalid number of arguments for Tensor constructor\./, fails],
    [() => new ov.Tensor('f32', [4], numbers, 1), /Invalid number of arguments for Tensor constructor\./, fails],
    [() => new ov.Tensor('text', [4]), noType, fails],
    [() => new ov.Tensor(['a', true]), /The array passed to create string tensor must contain only strings\./, fails],
    [() => new ov.Tensor('f32', [5], numbers), wrongSize, fails],
    [() => new ov.Tensor('f32', [3], new ArrayBuffer(12)), /Third argument of a tensor must be TypedArray\./, fails],
    [() => new ov.Tensor('f32', ['1'], numbers), /Passed array must contain only numbers/, fails],
    [() => new ov.Tensor('f32', Float32Array.of(4), numbers), /Passed argument must be an Int32Array or a Uint32Array\./, fails],
    [() => new ov.Tensor('f32', new ArrayBuffer(4), numbers), /Passed argument must be of type Array or TypedArray\./, fails],
  ],
  'Tensor.data': [
    [() => input.data, numbers],
    [() => {
      const filled = new ov.Tensor('f32', [1, 4]);
      filled.data = numbers;
      return filled.data;
    }, numbers],
    [() => void (new ov.Tensor('f32', [3]).data = Float64Array.of(1, 2, 3)), /Passed array must have the same size as the Tensor!/, fails],
    [() => void (new ov.Tensor('f64', [2]).data = Float64Array.of(1, 2, 3)), /Passed array must have the same size as the Tensor!/, fails],
    [() => void (new ov.Tensor('f32', [3]).data = 'text'), /Passed argument must be TypedArray, or Array/, fails],
  ],
  'Tensor.getElementType': [[() => input.getElementType(), ov.element.f32]],
  'Tensor.getData': [
    [() => input.getData(), numbers],
    [() => input.getData(1), 'getData() does not accept any arguments.', fails],
  ],
  'Tensor.getShape': [
    [() => input.getShape(), [1, 4]],
    [() => input.getShape(1), 'No parameters are allowed for the getShape() method.', fails],
  ],
  'Tensor.getSize': [
    [() => input.getSize(), 4],
    [() => input.getSize(1), 'getSize() does not accept any arguments.', fails],
  ],
  'Tensor.isContinuous': [
    [() => input.isContinuous(), true],
    [() => input.isContinuous(1), 'isContinuous() does not accept any arguments.', fails],
  ],
  'Tensor.setShape': [
    [() => {
      const tensor = new ov.Tensor('f32', [1, 3]);
      tensor.setShape([2, 3, 4]);
      return tensor.getShape();
    }, [2, 3, 4]],
    [() => new ov.Tensor('f32', [4], numbers).setShape([5]), /Could set new shape/, fails],
    [() => input.setShape(), 'Wrong number of parameters. Expected 1, got 0.', fails],
    [() => input.setShape([2, -3]), 'Cannot allocate memory: a shape cannot hold -3.', fails],
    [() => input.setShape('1'), 'Passed argument must be of type Array or TypedArray. The shape is an array of sizes, got 1.', fails],
  ],
  'Tensor.copyTo': [
    [() => {
      const copy = new ov.Tensor('f32', [1]);
      input.copyTo(copy);
      return [copy.getShape(), copy.data];
    }, [[1, 4], numbers]],
    [() => input.copyTo(new ov.Tensor('i32', [1, 4])), /Tensor element types are not equal\./, fails],
    [() => input.copyTo(), 'copyTo() must receive one argument, which is the destination Tensor.', fails],
    [() => input.copyTo({}), 'Invalid argument', fails],
    [() => input.copyTo(null), 'The argument must be a Tensor object.', fails],
  ],
  'new InferRequest': [[() => new ov.InferRequest(), /An InferRequest cannot be created with new/, fails]],
  'InferRequest.infer': [
    ...[[[input]], [[numbers]], [{data: input}], [{data: numbers}]].map((args) => [() => request().infer(...args), scores]),
    [() => {
      const made = request();
      made.setInputTensor(input);
      return made.infer();
    }, scores],
    [() => request().infer(numbers), /TypedArray cannot be passed directly into infer\(\) method\./, fails],
    [() => request().infer(5), /Infer method takes as an argument an array or an object\./, fails],
    ...[[input, 'a Tensor'], [new Map([['data', input]]), 'an object \\(\\[object Map\\]\\)']].map(([wrong, what]) => [
      () => request().infer(wrong),
      new RegExp(`an array or an object\\. Pass {name: tensor}, not ${what}\\.`),
      fails,
    ]),
    ...[
      ['text', /Cannot create a tensor from the passed Napi::Value\./],
      [numbers.slice(1), wrongSize],
      [{}, /Invalid argument/],
    ].flatMap(([wrong, text]) => [
      [() => request().infer([wrong]), text, fails],
      [() => request().infer({data: wrong}), text, fails],
    ]),
  ],
  'InferRequest.inferAsync': [
    [() => request().inferAsync([input]), scores],
    [() => request().inferAsync({data: input}), scores],
    // What is no tensor throws at once. Names and shapes that do not match reject.
    ...[[['text']], [{data: 'text'}]].map(([given]) => [
      () => assert.throws(() => request().inferAsync(given), {code: 'INVALID_ARGUMENT', message: /^Cannot create a tensor from the passed Napi::Value\./}),
      undefined,
    ]),
    ...[{other: input}, [new ov.Tensor('f32', [4], numbers)], [numbers.slice(1)]].map((given) => [
      async () => {
        const run = request().inferAsync(given);
        await assert.rejects(run, {code: /INVALID_(ARGUMENT|SHAPE)/});
      },
      undefined,
    ]),
  ],
  'InferRequest.getCompiledModel': [[() => request().getCompiledModel(), runs]],
  'InferRequest.getInputTensor': [
    [() => ran().getInputTensor().data, numbers],
    [() => ran().getInputTensor(0).data, numbers],
    [() => ran().getInputTensor(3), /Input port for index 3 was not found!/, fails],
  ],
  'InferRequest.getOutputTensor': [
    [() => [...ran().getOutputTensor().data], rectified],
    [() => [...ran().getOutputTensor(0).data], rectified],
  ],
  'InferRequest.getTensor': [
    [() => ran().getTensor('data').data, numbers],
    [() => [...ran().getTensor(compiled.output()).data], rectified],
    [() => ran().getTensor('text'), /Port for tensor name text was not found\./, fails],
    [() => ran().getTensor(), /InferRequest\.getTensor\(\) invalid number of arguments\./, fails],
    [() => ran().getTensor(5), /InferRequest\.getTensor\(\) invalid argument\./, fails],
  ],
  'InferRequest.setInputTensor': [
    [() => {
      const made = request();
      made.setInputTensor(0, input);
      return made.getInputTensor().data;
    }, numbers],
    [() => request().setInputTensor({}), notATensor, fails],
    [() => request().setInputTensor(0, {}), notATensor, fails],
    [() => request().setInputTensor(10, input), /Input port for index 10 was not found!/, fails],
    [() => request().setInputTensor(input, input), /InferRequest\.setInputTensor\(\) invalid argument\./, fails],
    [() => twoInputs.createInferRequest().setInputTensor(input), /The model has 2 inputs/, fails],
  ],
  'InferRequest.setOutputTensor': [
    ...[[], [0]].map((at) => [() => {
      const made = request();
      const tensor = output();
      made.setOutputTensor(...at, tensor);
      made.infer([input]);
      return [...tensor.data];
    }, rectified]),
    [() => request().setOutputTensor({}), notATensor, fails],
    [() => request().setOutputTensor(10, output()), /Output port for index 10 was not found!/, fails],
    [() => request().setOutputTensor(output(), output()), /InferRequest\.setOutputTensor\(\) invalid argument\./, fails],
  ],
  'InferRequest.setTensor': [
    [() => {
      const made = request();
      const tensor = output();
      made.setTensor('data', input);
      made.setTensor('out', tensor);
      made.infer();
      return [...tensor.data];
    }, rectified],
    [() => request().setTensor('text', input), /Port for tensor name text was not found\./, fails],
    [() => request().setTensor('out', {}), notATensor, fails],
    ...[['out'], [input, 'out'], [123, 'out']].map((args) => [() => request().setTensor(...args), /InferRequest\.setTensor\(\) invalid argument\./, fails]),
  ],
  'new Output': [[() => new ov.Output(), /An Output cannot be created with new/, fails]],
  'Output.anyName': [[() => model.output().anyName, 'out']],
  'Output.shape': [[() => model.output().shape, [1, 4]]],
  'Output.toString': [[() => `${compiled.output()}`, 'out']],
  'Output.getAnyName': [[() => model.output().getAnyName(), 'out']],
  'Output.getShape': [[() => model.output().getShape(), [1, 4]]],
  'Output.getPartialShape': [[() => model.output().getPartialShape(), new ov.PartialShape('1,4')]],
  'InputTensorInfo.setElementType': [
    [() => {
      const made = read();
      const changed = new ov.preprocess.PrePostProcessor(made);
      changed.input().tensor().setElementType(ov.element.u8);
      changed.build();
      return made.input().getElementType();
    }, 'u8'],
    [() => processor().input().tensor().setElementType(), wrongNumber, fails],
    [() => processor().input().tensor().setElementType('text'), noType, fails],
  ],
  'InputTensorInfo.setLayout': [
    [() => processor().input().tensor().setLayout('NC').constructor.name, 'InputTensorInfo'],
    [() => processor().input().tensor().setLayout(), wrongNumber, fails],
  ],
  'InputTensorInfo.setShape': [
    [() => processor().input().tensor().setShape([1, 4]).constructor.name, 'InputTensorInfo'],
    [() => processor().input().tensor().setShape(), wrongNumber, fails],
  ],
  'OutputTensorInfo.setElementType': [
    [() => {
      const made = read();
      const changed = new ov.preprocess.PrePostProcessor(made);
      changed.output().tensor().setElementType('i32');
      changed.build();
      return made.getOutputElementType(0);
    }, 'i32'],
    [() => processor().output().tensor().setElementType(), wrongNumber, fails],
    [() => processor().output().tensor().setElementType('text'), noType, fails],
  ],
  'OutputTensorInfo.setLayout': [
    [() => processor().output().tensor().setLayout('NC').constructor.name, 'OutputTensorInfo'],
    [() => processor().output().tensor().setLayout(), wrongNumber, fails],
  ],
  'PreProcessSteps.resize': [
    [() => processor().input().preprocess().resize(ov.preprocess.resizeAlgorithm.RESIZE_LINEAR).constructor.name, 'PreProcessSteps'],
    [() => processor().input().preprocess().resize(), wrongNumber, fails],
    [() => processor().input().preprocess().resize('RESIZE_LINEAR', 1), wrongNumber, fails],
  ],
  'InputModelInfo.setLayout': [
    [() => processor().input().model().setLayout('NC').constructor.name, 'ModelInfo'],
    [() => processor().input().model().setLayout('NC', 1), wrongNumber, fails],
    [() => processor().input().model().setLayout('invalidLayout'), /./, fails],
  ],
  'InputInfo.tensor': [
    [() => processor().input().tensor().constructor.name, 'InputTensorInfo'],
    [() => processor().input().tensor(0), noParameters, fails],
  ],
  'InputInfo.preprocess': [
    [() => processor().input().preprocess().constructor.name, 'PreProcessSteps'],
    [() => processor().input().preprocess(0), noParameters, fails],
  ],
  'InputInfo.model': [
    [() => processor().input().model().constructor.name, 'ModelInfo'],
    [() => processor().input().model(0), noParameters, fails],
  ],
  'OutputInfo.tensor': [
    [() => processor().output().tensor().constructor.name, 'OutputTensorInfo'],
    [() => processor().output().tensor(0), noParameters, fails],
  ],
  'new PrePostProcessor': [[() => new ov.preprocess.PrePostProcessor(read()), isA(ov.preprocess.PrePostProcessor)]],
  'PrePostProcessor.build': [[() => processor().build(), isA(ov.preprocess.PrePostProcessor)]],
  'PrePostProcessor.input': [[], [0], ['data']].map((args) => [() => processor().input(...args).constructor.name, 'InputInfo']),
  'PrePostProcessor.output': [[], [0], ['out']].map((args) => [() => processor().output(...args).constructor.name, 'OutputInfo']),
  'new PartialShape': [
    [() => String(new ov.PartialShape()), '[]'],
    [() => new ov.PartialShape(5), /'PartialShape' constructor method called with incorrect parameters\./, fails],
  ],
  'PartialShape.isStatic': [
    [() => new ov.PartialShape('1, 3').isStatic(), true],
    [() => new ov.PartialShape('?, 3').isStatic(), false],
  ],
  'PartialShape.isDynamic': [[() => new ov.PartialShape('1..2').isDynamic(), true]],
  'PartialShape.toString': [[() => new ov.PartialShape('?, -1, 1..3, 224').toString(), '[?,?,1..3,224]']],
  'PartialShape.getDimensions': [[() => new ov.PartialShape('?, -1, 1..3, 224').getDimensions(), [-1, -1, [1, 3], 224]]],
  'new AsyncInferQueue': [
    [() => new ov.AsyncInferQueue(compiled), isA(ov.AsyncInferQueue)],
    ...[[], [compiled, 'text']].map((args) => [
      () => new ov.AsyncInferQueue(...args),
      /'AsyncInferQueue' constructor method called with incorrect parameters\./,
      fails,
    ]),
  ],
  'AsyncInferQueue.setCallback': [
    [() => queue().setCallback(() => {}), undefined],
    [() => queue().setCallback(), /'setCallback' method called with incorrect parameters\./, fails],
  ],
  'AsyncInferQueue.startAsync': [
    [async () => {
      const seen = [];
      const made = queue((error, used, userData) => seen.push([error, used.constructor, userData]));
      const all = await Promise.all([1, 2, 3, 4].map((i) => made.startAsync({data: numbers}, i)));
      return [all, seen];
    }, [[1, 2, 3, 4], [1, 2, 3, 4].map((i) => [null, ov.InferRequest, i])]],
    [() => queue().startAsync([numbers]), undefined],
    [() => queue().startAsync([numbers], 1, 2), /'startAsync' method called with incorrect parameters\./, fails],
    [() => queue(null).startAsync([numbers]), /Callback has to be set before starting inference\./, fails],
    [() => queue(() => null.length).startAsync([numbers]), /null/, fails],
  ],
  'AsyncInferQueue.release': [
    [() => {
      const made = queue();
      made.release();
      return made.release();
    }, undefined],
    [() => {
      const made = queue();
      made.release();
      return made.startAsync([numbers]);
    }, /Callback has to be set before starting inference\./, fails],
  ],
  'Version.buildNumber': [[() => ov.getOpenvinoVersion().buildNumber, (text) => text.startsWith('2026.4')]],
  'Version.description': [[() => ov.getOpenvinoVersion().description, 'wasmvino']],
  ...Object.fromEntries(
    ['Core', 'Model', 'CompiledModel', 'Tensor', 'InferRequest', 'Output', 'PartialShape', 'AsyncInferQueue'].map((name) => [
      `NodeAddon.${name}`,
      [[() => ov[name].name, name]],
    ]),
  ),
  'NodeAddon.preprocess': [[() => Object.keys(ov.preprocess), (keys) => keys.includes('PrePostProcessor') && keys.includes('resizeAlgorithm')]],
  'NodeAddon.saveModelSync': [
    [() => {
      const saved = join(folder, 'saved.xml');
      ov.saveModelSync(model, saved, false);
      return core.compileModelSync(saved, 'CPU');
    }, runs],
    [() => ov.saveModelSync(model), /'saveModelSync' method called with incorrect parameters\./, fails],
    [() => ov.saveModelSync(model, join(folder, 'saved')), /^Path for xml file doesn't contains file name with 'xml' extension\. The path of a saved model must end in \.xml/, fails],
  ],
  'NodeAddon.getOpenvinoVersion': [
    [() => JSON.stringify(ov.getOpenvinoVersion()), /^\{"buildNumber":"[^"]*","description":"wasmvino"\}$/],
    [() => `${ov.getOpenvinoVersion()}`, /^wasmvino\n {4}Build : 2026\.4/],
  ],
  'NodeAddon.element': [[() => Object.values(ov.element), (types) => ['u8', 'u32', 'u16', 'u64', 'i8', 'i16', 'i32', 'i64', 'f32', 'f64', 'string'].every((type) => types.includes(type))]],
  'NodeAddon.resizeAlgorithm': [[() => ov.resizeAlgorithm, ov.preprocess.resizeAlgorithm]],
};

async function check([call, wanted, failing]) {
  if (failing) return assert.rejects(async () => call(), {name: /Error$/, message: wanted});
  const result = await call();
  if (wanted instanceof RegExp) assert.match(result, wanted);
  else if (typeof wanted === 'function') assert.notEqual(wanted(result), false);
  else assert.deepEqual(result, wanted);
}

describe('members of openvino-node', () => {
  it('are all called', () => assert.deepEqual(Object.keys(members).sort(), [...declaredMembers].sort()));
  for (const [name, calls] of Object.entries(members)) {
    it(name, async () => {
      for (const call of calls) await check(call);
    });
  }
});
