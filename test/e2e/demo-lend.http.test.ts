import { openDemo } from '../../scripts/demo/demo';
import type { EmbeddedService } from '../../scripts/demo/embedded-service';
import { demonstrateFees } from '../../scripts/demo/fees';
import { demonstrateLend, demonstrateLendAnyToken, demonstrateWithdraw } from '../../scripts/demo/lend';
import { demonstrateLendCrossChain } from '../../scripts/demo/lend-cross-chain';
import { customerNamed, runningService } from '../setup/running-service';

const service = runningService();
const demo = openDemo({
  ...service,
  customers: [{ ...customerNamed(service, 'load'), name: 'demo' }],
  accounts: [service.accounts[7]!],
} as unknown as EmbeddedService);

it('the demo fees pays the fees on the profit of a withdrawal to their recipients', async () => {
  const other = { ...customerNamed(service, 'other'), name: 'demo' };
  const own = openDemo({
    ...service,
    customers: [other],
    accounts: [service.accounts[6]!],
  } as unknown as EmbeddedService);
  const printed: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  try {
    await demonstrateFees(own, []);
  } finally {
    log.mockRestore();
  }
  expect(printed.join('\n')).toMatch(
    /\d+ to the collector: 10 % of the profit\n +\d+ to the partner: 5 % of the profit/,
  );
});

it.each([
  ['lend', demonstrateLend, ['DEPOSIT: 100 USDC']],
  ['withdraw', demonstrateWithdraw, ['DEPOSIT: 100 USDC', 'WITHDRAW: ', 'WITHDRAW: ']],
  ['lend-cross-chain', demonstrateLendCrossChain, ['WITHDRAW, APPROVAL, BRIDGE, BRIDGE: ']],
  ['lend-any-token', demonstrateLendAnyToken, ['SWAP, APPROVAL, DEPOSIT: 0.1 WETH', 'WITHDRAW, APPROVAL, SWAP: ']],
] as const)('the demo %s sends its transactions, and its actions end in SUCCESS', async (name, demonstrate, lines) => {
  const printed: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  try {
    await demonstrate(demo, [name === 'lend-cross-chain' ? 'Steady-USDC-devnet-l2' : 'Steady-USDC-devnet']);
  } finally {
    log.mockRestore();
  }
  const moved = printed.filter((line) => line.includes(' → '));
  expect(moved).toHaveLength(lines.length);
  for (const [index, line] of lines.entries()) expect(moved[index]).toContain(line);
});
