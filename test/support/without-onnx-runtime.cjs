// Loaded before the service: makes this process one on a machine for which onnxruntime-node has no binary.
const Module = require('node:module');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (request !== 'onnxruntime-node') return resolve.call(this, request, ...rest);
  throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
};
