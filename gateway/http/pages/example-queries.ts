/** A tab of GraphiQL: an operation and variables that it runs with. */
export interface ExampleQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const WETH_ON_BASE = '0x4200000000000000000000000000000000000006';
const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const SWAP = {
  ...{ originChain: 'base', destinationChain: 'base', tokenIn: USDC_ON_BASE, tokenOut: WETH_ON_BASE },
  amountIn: '5000000',
};

/** What GraphiQL opens with. */
export const EXAMPLE_QUERIES: readonly ExampleQuery[] = [
  {
    query: `# The best quote. Put your API key into the headers below.
query BestQuote($originChain: ChainName!, $destinationChain: ChainName!, $tokenIn: String!, $tokenOut: String!, $amountIn: Amount!) {
  swapQuote(originChain: $originChain, destinationChain: $destinationChain, tokenIn: $tokenIn, tokenOut: $tokenOut, amountIn: $amountIn) {
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
    variables: SWAP,
  },
  {
    query: `# What every provider offers, side by side.
query AllQuotes($originChain: ChainName!, $destinationChain: ChainName!, $tokenIn: String!, $tokenOut: String!, $amountIn: Amount!) {
  swapQuotes(originChain: $originChain, destinationChain: $destinationChain, tokenIn: $tokenIn, tokenOut: $tokenOut, amountIn: $amountIn) {
    __typename
  }
}
`,
    variables: SWAP,
  },
  {
    query: `# What a wallet has done.
query WalletActivity($walletAddress: Address!, $limit: Int) {
  actions(walletAddress: $walletAddress, limit: $limit) {
    data {
      id
      type
      status
      createdAt
    }
    pagination {
      page
      total
      hasMore
    }
  }
}
`,
    variables: { walletAddress: WALLET, limit: 10 },
  },
  {
    query: `# A wallet and its actions: two subgraphs, one request.
query Wallet($address: Address!) {
  wallet(address: $address) {
    address
    actions {
      data {
        id
        status
      }
    }
  }
}
`,
    variables: { address: WALLET },
  },
];
