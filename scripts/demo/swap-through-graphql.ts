import { InvariantError } from '../../src/errors/invariant-error';
import { formatBaseUnits } from '../../src/money/base-units';
import type { DemoSwap } from './demo-swap';
import { type Progress, sendAndFollow } from './follow-action';
import { graphql } from './generated';
import { callsSchema } from './wallet';

const QUOTE = graphql(/* GraphQL */ `
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
`);

/** The same swap in one GraphQL query: quote and transaction are returned together, because the wallet is given. */
export async function swapThroughGraphql({ api, wallet, pair }: DemoSwap): Promise<readonly Progress[]> {
  console.log('\nThrough GraphQL');
  const { chain, tokenIn, tokenOut, amountIn } = pair;
  const variables = { chain, tokenIn, tokenOut, amountIn, wallet: wallet.address };
  const { swapQuote } = await api.graphql(QUOTE, variables);
  const { id, transactionData } = swapQuote;
  if (typeof id !== 'string' || !transactionData) throw new InvariantError('the quote has no transaction');
  const promised = formatBaseUnits(BigInt(swapQuote.quote.expectedAmountOut), pair.decimalsOut);
  console.log(`  quote ${swapQuote.quote.quoteId}: ${promised} ${pair.symbolOut} by ${swapQuote.quote.provider}`);
  const calls = callsSchema.parse(transactionData.transactions);
  return sendAndFollow({ api, id }, async () => {
    console.log(`  sent ${(await wallet.send(calls)).join(', ')}`);
  });
}
