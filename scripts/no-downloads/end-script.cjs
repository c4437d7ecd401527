/** The first thing that the install script of onnxruntime-node calls. What memoryd runs is in that package already. */
exports.bootstrap = () => process.exit(0);
