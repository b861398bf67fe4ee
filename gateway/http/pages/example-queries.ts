import type { ExampleValues } from '../../edge/example-values';
import { tokenBalances, walletActivity, walletOverview, wholeWallet } from './wallet-queries';

const bestQuote = ({
  chain,
  tokenIn,
  tokenOut,
  amountIn,
}: ExampleValues): string => `# The best quote for a swap. Each tab sends the API key of its own headers
# below. Where that is empty, the key that was entered last is sent.
query BestQuote {
  swapQuote(
    originChain: "${chain}"
    destinationChain: "${chain}"
    tokenIn: "${tokenIn}"
    tokenOut: "${tokenOut}"
    amountIn: "${amountIn}"
  ) {
    quote {
      quoteId
      provider
      expectedAmountOut
      minAmountOut
      deadlineDate
    }
  }
}
`;

/** Arguments and fields of the examples that compare providers. */
const offersOf = ({ chain, tokenIn, tokenOut, amountIn }: ExampleValues): string => `(
    originChain: "${chain}"
    destinationChain: "${chain}"
    tokenIn: "${tokenIn}"
    tokenOut: "${tokenOut}"
    amountIn: "${amountIn}"
  ) {
    provider
    quote {
      quoteId
      expectedAmountOut
    }
    reason {
      code
      message
    }
  }
`;

const allQuotes = (values: ExampleValues): string => `# The offers of all providers, side by side.
query AllQuotes {
  swapQuotes${offersOf(values)}}
`;

const pixQuote = ({ chain, tokenIn }: ExampleValues): string => `# A quote for buying tokens with 100 BRL, paid by Pix.
query PixQuote {
  swapQuote(
    originChain: "fiat"
    destinationChain: "${chain}"
    tokenIn: "BRL"
    tokenOut: "${tokenIn}"
    amountIn: "10000"
  ) {
    quote {
      quoteId
      provider
      expectedAmountOut
      feeBreakdown {
        lines {
          kind
          label
          amountRaw
          symbol
        }
      }
    }
  }
}
`;

const pixPayout = ({
  chain,
  tokenIn,
  amountIn,
}: ExampleValues): string => `# A quote for selling the same tokens for BRL, paid out by Pix.
query PixPayout {
  swapQuote(
    originChain: "${chain}"
    destinationChain: "fiat"
    tokenIn: "${tokenIn}"
    tokenOut: "BRL"
    amountIn: "${amountIn}"
  ) {
    quote {
      quoteId
      provider
      expectedAmountOut
      estimatedDurationSeconds
      route {
        protocol
        pool
      }
    }
  }
}
`;

const quoteStream = (
  values: ExampleValues,
): string => `# Offers as they arrive, one event each. The response shows the latest
# event, in place of the one before. The stream stays open, and requests
# new quotes before these expire: end it with the stop button.
subscription QuoteStream {
  swapQuoteStream${offersOf(values)}}
`;

const strategies = `# Yield strategies, the highest yield after fees first.
query Strategies {
  strategies(limit: 10, sort: NET_APY) {
    data {
      id
      protocol
      network
      netAPY
      underlyingToken {
        symbol
      }
      marketData {
        tvl
        tvlUsd
        sharePrice
        stale
      }
    }
    pagination {
      total
    }
  }
}
`;

const strategyRates = `# Rates of strategies: first all of them, then those that change.
# The tab before has more ids. The stream stays open.
subscription StrategyRates {
  strategyRates(strategyIds: ["Aave-USDC-devnet", "Steady-USDC-devnet"]) {
    strategyId
    at
    grossAPY
    sharePrice
    tvlUsd
    flags
  }
}
`;

/** The queries of GraphiQL's initial tabs. Arguments are literals because the first tab has no variables. */
export const exampleQueries = (values: ExampleValues): readonly string[] => [
  bestQuote(values),
  allQuotes(values),
  pixQuote(values),
  pixPayout(values),
  quoteStream(values),
  strategies,
  strategyRates,
  walletActivity(values),
  walletOverview(values),
  tokenBalances(values),
  wholeWallet(values),
];
