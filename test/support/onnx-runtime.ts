import { missingRuntime } from '../../src/embedding/onnx/onnx-models.ts';

/** Whether the optional dependency that runs models is installed; `npm ci` installs it where it has a binary. */
export const hasRuntime = missingRuntime('any') === undefined;
