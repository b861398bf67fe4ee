type Packages = Readonly<Record<string, { readonly version: string }>>;
type Versions = Readonly<Record<string, string>>;

const { hasPackages } = jest.requireActual<{
  hasPackages(tree: {
    readonly manifest: { readonly dependencies: Versions; readonly devDependencies: Versions };
    readonly present: Packages;
    readonly mayBeProduction: boolean;
  }): boolean;
}>('../../scripts/setup/install.cjs');

const manifest = { dependencies: { viem: '2.0.0' }, devDependencies: { jest: '30.0.0', '@swc/core': '1.0.0' } };
const production = { 'node_modules/viem': { version: '2.0.0' } };
const complete = {
  ...production,
  'node_modules/jest': { version: '30.0.0' },
  'node_modules/@swc/core': { version: '1.0.0' },
};

test('a pruned install suffices for the built service, and not for the tests', () => {
  expect(hasPackages({ manifest, present: production, mayBeProduction: true })).toBe(true);
  expect(hasPackages({ manifest, present: production, mayBeProduction: false })).toBe(false);
});

test('all direct dependencies are required in their exact versions', () => {
  expect(hasPackages({ manifest, present: complete, mayBeProduction: false })).toBe(true);
  expect(
    hasPackages({
      manifest,
      present: { ...complete, 'node_modules/jest': { version: '29.0.0' } },
      mayBeProduction: true,
    }),
  ).toBe(false);
  expect(hasPackages({ manifest, present: {}, mayBeProduction: true })).toBe(false);
});
