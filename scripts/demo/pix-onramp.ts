import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import { approvedPerson } from './approved-person';
import type { Demo } from './demo';
import { followAction } from './follow-action';
import { CHAIN } from './ramp-demo';

const pixQuote = z.object({
  id: z.string(),
  quote: z.object({ provider: z.string(), expectedAmountOut: z.string(), minAmountOut: z.string() }),
  paymentInstructions: z.object({ pix: z.object({ copyPaste: z.string(), qrCodeUrl: z.url() }) }),
});

interface Bought {
  readonly symbol: string;
  readonly decimals: number;
}

/**
 * Buys BRLA, USDC and WETH with reais by Pix; the service buys WETH with the token that the ramp pays. The emulated
 * ramp pays its own BR Code after two seconds, like its sandbox.
 */
export async function demonstratePixOnRamp(demo: Demo): Promise<void> {
  const { address: walletAddress } = demo.wallet(CHAIN);
  console.log(`Verifying the person with the wallet ${walletAddress} (a few seconds)`);
  console.log(`  approved: ${await approvedPerson(demo.api, { walletAddress })}`);
  await buy(demo, { symbol: 'BRLA', decimals: 18 });
  await buy(demo, { symbol: 'USDC', decimals: 6 });
  await buy(demo, { symbol: 'WETH', decimals: 18 });
}

async function buy(demo: Demo, { symbol, decimals }: Bought): Promise<void> {
  const { api } = demo;
  const [wallet, tokenOut] = [demo.wallet(CHAIN), demo.evmToken(CHAIN, symbol)];
  const before = await wallet.balanceOf(tokenOut);
  const { id, quote, paymentInstructions } = pixQuote.parse(
    await api.get('/v2/swap/quote', {
      originChain: 'fiat',
      destinationChain: CHAIN,
      tokenIn: 'BRL',
      tokenOut,
      amountIn: '10000',
      originAddress: wallet.address,
      destinationAddress: wallet.address,
    }),
  );
  const { copyPaste, qrCodeUrl } = paymentInstructions.pix;
  const promised = formatBaseUnits(BigInt(quote.expectedAmountOut), decimals);
  console.log(`\n100 BRL by Pix for ${promised} ${symbol} through ${quote.provider}`);
  console.log(`  action ${id}\n  to pay:     ${copyPaste}\n  QR code:    ${qrCodeUrl}`);
  console.log('  the emulated bank pays it in two seconds');
  const image = await fetch(qrCodeUrl);
  if (image.headers.get('content-type') !== 'image/png') throw new InvariantError('the QR code is not an image');
  await followAction(api, id);
  const received = (await wallet.balanceOf(tokenOut)) - before;
  console.log(`  received ${formatBaseUnits(received, decimals)} ${symbol}`);
  if (received < BigInt(quote.minAmountOut)) throw new InvariantError('less arrived than the minimum');
}
