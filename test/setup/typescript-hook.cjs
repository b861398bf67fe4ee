// Lets a plain node process run the TypeScript sources: `node --require test/setup/typescript-hook.cjs file.ts`.
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) => {
  module._compile(transformFileSync(file, { sourceMaps: false }).code, file);
};
