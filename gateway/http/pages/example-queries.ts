import type { ExampleValues } from '../../edge/example-values';

const bestQuote = ({
  chain,
  tokenIn,
  tokenOut,
  amountIn,
}: ExampleValues): string => `# The best quote for a swap. The API key in the headers below is sent from all tabs.
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
  swapQuote(originChain: "fiat", destinationChain: "${chain}", tokenIn: "BRL", tokenOut: "${tokenIn}", amountIn: "10000") {
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
  swapQuote(originChain: "${chain}", destinationChain: "fiat", tokenIn: "${tokenIn}", tokenOut: "BRL", amountIn: "${amountIn}") {
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
): string => `# Offers as they arrive, one event each. The response shows the latest event, in place of the one before. The stream stays
# open, and requests new quotes before these expire: end it with the stop button.
subscription QuoteStream {
  swapQuoteStream${offersOf(values)}}
`;

const walletActivity = ({ wallet }: ExampleValues): string => `# The latest actions of a wallet.
query WalletActivity {
  actions(walletAddress: "${wallet}", limit: 10) {
    data {
      id
      type
      status
      createdAt
      amounts {
        assetIn {
          amountHumanized
          token {
            symbol
          }
        }
        assetOut {
          amountHumanized
          token {
            symbol
          }
        }
      }
    }
    pagination {
      page
      total
      hasMore
    }
  }
}
`;

const wholeWallet = ({
  wallet,
}: ExampleValues): string => `# A wallet with its balances, KYC profile and actions: three subgraphs, one request.
query Wallet {
  wallet(address: "${wallet}") {
    address
    nativeBalances {
      symbol
      humanized
    }
    kycProfile {
      kycUserId
      status
      usdEnabled
    }
    actions(limit: 5) {
      data {
        id
        status
      }
    }
  }
}
`;

const walletOverview = ({
  wallet,
}: ExampleValues): string => `# What a wallet holds and what it is worth, with its latest actions. GET /v2/wallets/{address} has the same.
query WalletOverview {
  wallet(address: "${wallet}") {
    tokens {
      summary {
        totalAmountInUSD
        totalAmountInBRL
      }
      staleness {
        stalePositions
        oldestAsOf
      }
      positions {
        symbol
        humanized
        price
        amountInUSD
        chainId
        asOf
      }
    }
    history(limit: 10) {
      data {
        type
        status
        createdAt
        amounts {
          assetIn {
            amountHumanized
            token {
              symbol
            }
          }
          assetOut {
            amountHumanized
            token {
              symbol
            }
          }
        }
      }
      pagination {
        total
        hasMore
      }
    }
  }
}
`;

const tokenBalances = ({
  wallet,
}: ExampleValues): string => `# The tokens of a wallet on all chains, with the block of each.
query TokenBalances {
  wallet(address: "${wallet}") {
    balances {
      chain
      asOf {
        blockNumber
        time
      }
      isStale
      error {
        code
      }
      hiddenSpam
      tokens(limit: 20) {
        symbol
        humanized
        problem
        spam {
          score
          reasons
        }
      }
    }
  }
}
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

const strategyRates = `# Rates of strategies: first all of them, then those that change. The tab before has more ids. The stream stays open.
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
