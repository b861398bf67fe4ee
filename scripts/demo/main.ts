import { InvariantError } from '../../src/errors/invariant-error';
import { demonstrateCrossChain } from './cross-chain';
import { type Demo, openDemo } from './demo';
import { findEmbeddedService } from './embedded-service';
import { demonstrateFees } from './fees';
import { demonstrateLend, demonstrateLendAnyToken, demonstrateWithdraw } from './lend';
import { demonstrateLendCrossChain } from './lend-cross-chain';
import { demonstrateLendRequest } from './lend-request';
import { demonstratePixOffRamp } from './pix-offramp';
import { demonstratePixOnRamp } from './pix-onramp';
import { demonstrateRefund } from './refund';
import { demonstrateSend } from './send';
import { demonstrateSolana } from './solana';
import { demonstrateStockCancel, demonstrateStockOrder } from './stock-order';
import { demonstrateSwap } from './swap';
import { demonstrateTransfer } from './transfer';
import { demonstrateUsdOffRamp } from './usd-offramp';
import { demonstrateUserOperation } from './user-operation';

interface DemoCommand {
  readonly run: (demo: Demo, args: readonly string[]) => Promise<void>;
  /** What it shows, for `--help`. */
  readonly shows: string;
  /** Its argument, for `--help`. */
  readonly argument?: string;
}

const DEFAULT_DEMO = 'swap';

/** The demos of `npm run demo -- <name> [argument]`. */
const DEMOS: Readonly<Record<string, DemoCommand>> = {
  swap: { run: demonstrateSwap, shows: 'a swap on one chain, through REST and through GraphQL (the default)' },
  send: {
    run: demonstrateSend,
    argument: '<file or quoteId>',
    shows: 'your own quote on an EVM chain: its transactions are signed, sent and tracked',
  },
  'cross-chain': { run: demonstrateCrossChain, shows: 'dollars to another chain through Across, CCTP and LI.FI' },
  refund: { run: demonstrateRefund, shows: 'a transfer that no relayer fills: it expires and is refunded' },
  transfer: { run: demonstrateTransfer, shows: 'transfers of a token and of ETH to a wallet' },
  'user-operation': {
    run: demonstrateUserOperation,
    shows: 'a smart account that swaps, then a sponsored transfer of dollars',
  },
  lend: { run: demonstrateLend, argument: '[strategyId]', shows: 'a deposit into a strategy, tracked to its end' },
  withdraw: {
    run: demonstrateWithdraw,
    argument: '[strategyId]',
    shows: 'a deposit, a partial withdrawal, and the withdrawal of everything',
  },
  'lend-any-token': {
    run: demonstrateLendAnyToken,
    argument: '[strategyId]',
    shows: 'a swap and a deposit in one action, and the way back',
  },
  'lend-cross-chain': {
    run: demonstrateLendCrossChain,
    argument: '[strategyId]',
    shows: 'a deposit from another chain, and a withdrawal to it',
  },
  'lend-request': {
    run: demonstrateLendRequest,
    shows: 'a deposit and a withdrawal that are requested, fulfilled by the vault and claimed',
  },
  fees: { run: demonstrateFees, shows: 'fees on profit: set, activated, and paid by a withdrawal from what it gained' },
  'stock-order': { run: demonstrateStockOrder, shows: 'a tokenized stock, bought and sold by orders' },
  'stock-cancel': { run: demonstrateStockCancel, shows: 'an order with a limit price, cancelled and refunded' },
  solana: { run: demonstrateSolana, shows: 'a transfer with a memo and a swap on Solana' },
  'pix-onramp': {
    run: demonstratePixOnRamp,
    shows: 'verification of a person, then reais by Pix to BRLA, USDC and WETH',
  },
  'pix-offramp': {
    run: demonstratePixOffRamp,
    shows: 'BRLA, USDC and WETH to a bank by Pix; a payout that fails and is refunded',
  },
  'usd-offramp': {
    run: demonstrateUsdOffRamp,
    shows: 'USDC to a bank in the United States by wire and ACH; a wire that fails',
  },
};

const isHelp = (argument: string): boolean => argument === '--help' || argument === '-h';

function help(): string {
  const commands = Object.entries(DEMOS).map(([name, { argument = '', shows }]) => ({
    command: `${name} ${argument}`.trimEnd(),
    shows,
  }));
  const width = Math.max(...commands.map(({ command }) => command.length));
  const lines = commands.map(({ command, shows }) => `  ${command.padEnd(width)}  ${shows}`);
  return ['npm run demo -- [name] [argument], while "npm start" runs', ...lines].join('\n');
}

async function main([name = DEFAULT_DEMO, ...args]: readonly string[]): Promise<void> {
  if ([name, ...args].some(isHelp)) {
    console.log(help());
    return;
  }
  const command = Object.hasOwn(DEMOS, name) ? DEMOS[name] : undefined;
  if (command === undefined) {
    throw new InvariantError(`unknown demo "${name}". Available: ${Object.keys(DEMOS).join(', ')}`);
  }
  await command.run(openDemo(await findEmbeddedService()), args);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
