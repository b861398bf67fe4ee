import type { ExampleValues } from '../../edge/example-values';

export const walletActivity = ({ wallet }: ExampleValues): string => `# The latest actions of a wallet.
query WalletActivity {
  actions(
    walletAddress: "${wallet}"
    limit: 10
  ) {
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

export const wholeWallet = ({
  wallet,
}: ExampleValues): string => `# A wallet with its balances, KYC profile and actions: three subgraphs,
# one request.
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

export const walletOverview = ({
  wallet,
}: ExampleValues): string => `# What a wallet holds, what it has in strategies, and its latest actions.
# GET /v2/wallets/{address} has the same.
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
    earn {
      summary {
        totalUnderlyingBalanceUSD
        totalProfitInUSD
      }
      positions {
        strategy {
          id
        }
        spotPosition {
          netAPY
          currentPosition {
            humanized
            symbol
            valueUSD
          }
          profitInUSD
          stale
          asOf
        }
      }
    }
    history(limit: 10) {
      data {
        type
        status
        createdAt
      }
      pagination {
        total
        hasMore
      }
    }
  }
}
`;

export const tokenBalances = ({
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
