/** A trade that this deployment can price, for the examples. Amount in base units of `tokenIn`. */
export interface ExampleTrade {
  readonly chain: string;
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amountIn: string;
  readonly wallet: string;
}

const bestQuote = ({
  chain,
  tokenIn,
  tokenOut,
  amountIn,
}: ExampleTrade): string => `# The best quote for a swap. Enter your API key in the headers below.
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
const offersOf = ({ chain, tokenIn, tokenOut, amountIn }: ExampleTrade): string => `(
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

const allQuotes = (trade: ExampleTrade): string => `# The offers of all providers, side by side.
query AllQuotes {
  swapQuotes${offersOf(trade)}}
`;

const pixQuote = ({ chain, tokenIn }: ExampleTrade): string => `# A quote for buying tokens with 100 BRL, paid by Pix.
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
}: ExampleTrade): string => `# A quote for selling the same tokens for BRL, paid out by Pix.
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

const quoteStream = (trade: ExampleTrade): string => `# Offers as they arrive, one event each.
subscription QuoteStream {
  swapQuoteStream${offersOf(trade)}}
`;

const walletActivity = ({ wallet }: ExampleTrade): string => `# The latest actions of a wallet.
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

const walletOverview = ({
  wallet,
}: ExampleTrade): string => `# A wallet with its balances, KYC profile and actions: three subgraphs, one request.
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

/** The queries of GraphiQL's initial tabs. Arguments are literals because the first tab has no variables. */
export const exampleQueries = (trade: ExampleTrade): readonly string[] => [
  bestQuote(trade),
  allQuotes(trade),
  pixQuote(trade),
  pixPayout(trade),
  quoteStream(trade),
  walletActivity(trade),
  walletOverview(trade),
];
