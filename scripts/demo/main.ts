import { InvariantError } from '../../src/errors/invariant-error';
import { demonstrateCrossChain } from './cross-chain';
import { type Demo, openDemo } from './demo';
import { findEmbeddedService } from './embedded-service';
import { demonstrateFees } from './fees';
import { demonstrateLend, demonstrateLendAnyToken, demonstrateWithdraw } from './lend';
import { demonstratePixOffRamp } from './pix-offramp';
import { demonstratePixOnRamp } from './pix-onramp';
import { demonstrateRefund } from './refund';
import { demonstrateSend } from './send';
import { demonstrateSolana } from './solana';
import { demonstrateSwap } from './swap';
import { demonstrateTransfer } from './transfer';
import { demonstrateUsdOffRamp } from './usd-offramp';
import { demonstrateUserOperation } from './user-operation';

/** The demos of `npm run demo -- <name> [arguments]`. Default: swap. */
const DEMOS: Readonly<Record<string, (demo: Demo, args: readonly string[]) => Promise<void>>> = {
  swap: demonstrateSwap,
  send: demonstrateSend,
  'cross-chain': demonstrateCrossChain,
  transfer: demonstrateTransfer,
  'user-operation': demonstrateUserOperation,
  lend: demonstrateLend,
  withdraw: demonstrateWithdraw,
  'lend-any-token': demonstrateLendAnyToken,
  fees: demonstrateFees,
  solana: demonstrateSolana,
  refund: demonstrateRefund,
  'pix-onramp': demonstratePixOnRamp,
  'pix-offramp': demonstratePixOffRamp,
  'usd-offramp': demonstrateUsdOffRamp,
};

async function main([name = 'swap', ...args]: readonly string[]): Promise<void> {
  if (name === '--help') {
    console.log(`npm run demo -- [name]\nNames: ${Object.keys(DEMOS).join(', ')}`);
    return;
  }
  const demonstrate = Object.hasOwn(DEMOS, name) ? DEMOS[name] : undefined;
  if (demonstrate === undefined) {
    throw new InvariantError(`unknown demo "${name}". Available: ${Object.keys(DEMOS).join(', ')}`);
  }
  await demonstrate(openDemo(await findEmbeddedService()), args);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
