import { assertNotBlocked } from './sanctions';

const EVM = '0x7F367cC41522cE07553e823bf3be79A889DEbe1B';
const SOLANA = 'So11111111111111111111111111111111111111112';
const blocked = new Set([EVM, ` ${SOLANA} `]);
const refused = expect.objectContaining({ code: 'FORBIDDEN', status: 403 });

test.each([
  ['as listed', EVM],
  ['in lower case', EVM.toLowerCase()],
  ['in upper case', EVM.toUpperCase()],
])('refuses a blocked EVM address %s', (_, address) => {
  expect(() => assertNotBlocked(blocked, [`0x${'1'.repeat(40)}`, address])).toThrow(refused);
});

test('compares Solana addresses case-sensitively', () => {
  expect(() => assertNotBlocked(blocked, [SOLANA])).toThrow(refused);
  expect(() => assertNotBlocked(blocked, [SOLANA.toLowerCase()])).not.toThrow();
});

test('allows addresses that are not on the list', () => {
  expect(() => assertNotBlocked(blocked, [`0x${'1'.repeat(40)}`])).not.toThrow();
  expect(() => assertNotBlocked(blocked, [])).not.toThrow();
  expect(() => assertNotBlocked(blocked, [undefined, null])).not.toThrow();
  expect(() => assertNotBlocked(new Set(), [EVM])).not.toThrow();
});
