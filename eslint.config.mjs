import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const noSpreadLiteral = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties out instead of spreading an object literal.',
};

const banned = [
  noSpreadLiteral,
  {
    selector: "NewExpression[callee.name='Error']",
    message: 'Throw serviceError(code, …) for callers, InvariantError for bugs.',
  },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  {
    selector: "CallExpression[callee.name='Number'], CallExpression[callee.name='parseFloat']",
    message: 'Amounts are bigint. For display use src/money; for small integers Number.parseInt.',
  },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Only src/config reads the environment.',
  },
  {
    selector: "MemberExpression[object.name='AbortSignal'][property.name='any']",
    message: 'It forgets timeouts: anySignal (src/async) keeps them.',
  },
];

const noModuleMock = {
  selector:
    "CallExpression[callee.object.name='jest'][callee.property.name=/^(mock|doMock|unmock|deepUnmock|enableAutomock|dontMock|setMock|resetModules|isolateModules|isolateModulesAsync|unstable_mockModule)$/]",
  message: 'The modules of the service are loaded once for many test files: pass what a test replaces as an argument.',
};

const noFloat = {
  selector: "MemberExpression[object.name='Number'][property.name='parseFloat']",
  message: 'Amounts, prices and rates are fixed point (src/money).',
};

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'node_modules/**',
      'src/persistence/client/**',
      '**/generated/**',
      'coverage/**',
      '.local/**',
      'devnet/contracts/artifacts/**',
      // Type-checked by its test, which generates what it imports.
      'test/openapi/client/**',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      complexity: ['error', 10],
      'max-params': 'off',
      '@typescript-eslint/max-params': ['error', { max: 3 }],
      'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
      'max-lines-per-function': ['error', { max: 60 }],
      'no-restricted-syntax': ['error', ...banned, noFloat],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      eqeqeq: 'error',
      // Overflows its stack on the types of graphql, which contain themselves.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    // Type-GraphQL classes are shapes for decorators; resolvers are the only classes with behaviour.
    files: ['subgraphs/**/*.ts'],
    rules: {
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/consistent-type-imports': 'off',
    },
  },
  // The one place that turns generated code into functions.
  { files: ['gateway/federation/generated-function.ts'], rules: { '@typescript-eslint/no-implied-eval': 'off' } },
  {
    files: ['src/config/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...banned.filter((_, index) => index !== 4), noFloat] },
  },
  { files: ['src/async/any-signal.ts'], rules: { 'no-restricted-syntax': ['error', ...banned.slice(0, -1), noFloat] } },
  {
    // JSON numbers of the API, and of emulated third parties.
    files: ['src/quotes/usd-number.ts', 'src/money/ratio-number.ts', 'devnet/emulators/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...banned] },
  },
  {
    // Configuration files of tools are read by default export.
    files: ['*.ts'],
    rules: { 'no-restricted-syntax': ['error', banned[0], banned[1], banned[3]] },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-syntax': ['error', noSpreadLiteral, noModuleMock],
      '@typescript-eslint/unbound-method': 'off',
      // A black-box test asserts on the untyped response.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Replaces a module of a package that only this test loads.
    files: ['test/federation/compatibility/compatibility.test.ts'],
    rules: { 'no-restricted-syntax': ['error', noSpreadLiteral] },
  },
  { files: ['**/*.{js,cjs,mjs}'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        require: 'readonly',
        module: 'readonly',
        __dirname: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        WebAssembly: 'readonly',
      },
    },
    rules: { 'no-restricted-syntax': 'off', '@typescript-eslint/no-require-imports': 'off' },
  },
);
