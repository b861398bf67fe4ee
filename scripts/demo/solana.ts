import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import { fromBase58 } from '../../devnet/solana/base58';
import { z } from 'zod';
import { InvariantError } from '../../src/errors/invariant-error';
import type { Demo } from './demo';
import { sendAndFollow } from './follow-action';

const SLUG = 'solana-local';
const rawTransaction = z.object({ rawTransaction: z.base64() });
const transferSchema = z.object({ id: z.string(), transactionData: z.array(rawTransaction).length(1) });
const quoteSchema = z.object({
  id: z.string(),
  quote: z.object({ provider: z.string(), expectedAmountOut: z.string() }),
  transactionData: rawTransaction,
});

/** Sends USDC, with a memo, to a wallet without a token account; then swaps USDC to SOL. */
export async function demonstrateSolana(demo: Demo): Promise<void> {
  const chain = demo.service.chains.find(({ slug }) => slug === SLUG);
  const secretKey = demo.service.solanaAccounts[0]?.secretKey;
  if (chain === undefined || secretKey === undefined)
    throw new InvariantError('the embedded service has no Solana chain');
  const connection = new Connection(chain.rpcUrl, 'confirmed');
  const signer = Keypair.fromSecretKey(fromBase58(secretKey));
  const [recipient, usdc] = [Keypair.generate().publicKey.toBase58(), demo.token(SLUG, 'USDC')];
  console.log(`12.5 USDC from ${signer.publicKey.toBase58()} to ${recipient}, with a memo`);
  const transfer = transferSchema.parse(
    await demo.api.post('/transfer/bytecode', {
      chainId: chain.chainId,
      token: usdc,
      amount: '12500000',
      memo: 'lunch',
      originAddress: signer.publicKey.toBase58(),
      destinationAddress: recipient,
    }),
  );
  await finish(demo, { connection, signer, ...transfer, raw: transfer.transactionData[0]?.rawTransaction ?? '' });

  console.log('\nSwapping 30 USDC to SOL');
  const party = signer.publicKey.toBase58();
  const swap = quoteSchema.parse(
    await demo.api.get('/v2/swap/quote', {
      originChain: SLUG,
      destinationChain: SLUG,
      amountIn: '30000000',
      tokenIn: usdc,
      tokenOut: demo.token(SLUG, 'SOL'),
      originAddress: party,
      destinationAddress: party,
    }),
  );
  console.log(`  quote: ${swap.quote.expectedAmountOut} lamports by ${swap.quote.provider}`);
  await finish(demo, { connection, signer, ...swap, raw: swap.transactionData.rawTransaction });
}

interface Unsigned {
  readonly connection: Connection;
  readonly signer: Keypair;
  readonly id: string;
  /** Unsigned transaction of version 0, in base64. */
  readonly raw: string;
}

async function finish({ api }: Demo, { connection, signer, id, raw }: Unsigned): Promise<void> {
  console.log(`  action ${id}`);
  const transaction = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
  transaction.sign([signer]);
  await sendAndFollow({ api, id }, async () => {
    console.log(`  sent ${await connection.sendTransaction(transaction)}`);
  });
}
