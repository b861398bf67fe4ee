/** What GraphiQL opens with, a tab each. Arguments are written out: its first tab starts without variables. */
export const EXAMPLE_QUERIES: readonly string[] = [
  `# The best quote. Put your API key into the headers below.
query BestQuote {
  swapQuote(
    originChain: "base"
    destinationChain: "base"
    tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    tokenOut: "0x4200000000000000000000000000000000000006"
    amountIn: "5000000"
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
`,
  `# What every provider offers, side by side.
query AllQuotes {
  swapQuotes(
    originChain: "base"
    destinationChain: "base"
    tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    tokenOut: "0x4200000000000000000000000000000000000006"
    amountIn: "5000000"
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
}
`,
  `# What a wallet has done.
query WalletActivity {
  actions(walletAddress: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", limit: 10) {
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
`,
  `# A wallet, what it holds and what it has done: two subgraphs, one request.
query Wallet {
  wallet(address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045") {
    address
    nativeBalances {
      symbol
      humanized
    }
    actions(limit: 5) {
      data {
        id
        status
      }
    }
  }
}
`,
];
