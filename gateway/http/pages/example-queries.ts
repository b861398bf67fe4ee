/** A trade that the deployment can price, for its examples. Amount in base units of `tokenIn`. */
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
}: ExampleTrade): string => `# The best quote. Put your API key into the headers below.
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

/** What is asked of every provider, and what each of them answers. */
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

const allQuotes = (trade: ExampleTrade): string => `# What every provider offers, side by side.
query AllQuotes {
  swapQuotes${offersOf(trade)}}
`;

const pixQuote = ({ chain, tokenIn }: ExampleTrade): string => `# What 100 reais buy, paid by Pix.
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
}: ExampleTrade): string => `# What the same dollars are in reais, paid out by Pix.
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

const quoteStream = (trade: ExampleTrade): string => `# Offers as they come in, one event each.
subscription QuoteStream {
  swapQuoteStream${offersOf(trade)}}
`;

const walletActivity = ({ wallet }: ExampleTrade): string => `# What a wallet has done.
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
}: ExampleTrade): string => `# A wallet, what it holds, what it has done and whose it is: three subgraphs, one request.
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

/** What GraphiQL opens with, a tab each. Arguments are written out: its first tab starts without variables. */
export const exampleQueries = (trade: ExampleTrade): readonly string[] => [
  bestQuote(trade),
  allQuotes(trade),
  pixQuote(trade),
  pixPayout(trade),
  quoteStream(trade),
  walletActivity(trade),
  walletOverview(trade),
];
