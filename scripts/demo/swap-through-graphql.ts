import { z } from 'zod';
import { formatBaseUnits } from '../../src/money/base-units';
import type { DemoSwap } from './demo-swap';
import { followAction, type Progress } from './follow-action';
import { callsSchema } from './wallet';

const QUOTE = /* GraphQL */ `
  query ExecutableQuote(
    $chain: ChainName!
    $tokenIn: String!
    $tokenOut: String!
    $amountIn: Amount!
    $wallet: String!
  ) {
    swapQuote(
      originChain: $chain
      destinationChain: $chain
      tokenIn: $tokenIn
      tokenOut: $tokenOut
      amountIn: $amountIn
      originAddress: $wallet
      destinationAddress: $wallet
    ) {
      id
      quote {
        quoteId
        provider
        expectedAmountOut
      }
      transactionData {
        transactions {
          to
          data
          value
        }
      }
    }
  }
`;

const ACTION = /* GraphQL */ `
  query ActionProgress($id: UUID!) {
    action(id: $id) {
      status
      substatus
    }
  }
`;

const quoteSchema = z.object({
  swapQuote: z.object({
    id: z.string(),
    quote: z.object({ quoteId: z.string(), provider: z.string(), expectedAmountOut: z.string() }),
    transactionData: z.object({ transactions: callsSchema }),
  }),
});
const actionSchema = z.object({ action: z.unknown() });

/** The same swap in one GraphQL query: quote and transaction come together because the wallet is given. */
export async function swapThroughGraphql({ api, wallet, pair }: DemoSwap): Promise<readonly Progress[]> {
  console.log('\nThrough GraphQL');
  const { chain, tokenIn, tokenOut, amountIn } = pair;
  const { swapQuote } = quoteSchema.parse(
    await api.graphql(QUOTE, { chain, tokenIn, tokenOut, amountIn, wallet: wallet.address }),
  );
  const promised = formatBaseUnits(BigInt(swapQuote.quote.expectedAmountOut), pair.decimalsOut);
  console.log(`  quote ${swapQuote.quote.quoteId}: ${promised} ${pair.symbolOut} by ${swapQuote.quote.provider}`);
  const read = async () => actionSchema.parse(await api.graphql(ACTION, { id: swapQuote.id })).action;
  const following = followAction(read);
  const hashes = await wallet.send(swapQuote.transactionData.transactions);
  console.log(`  sent ${hashes.join(', ')}`);
  return following;
}
