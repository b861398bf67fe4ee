/** A small schema with the root fields of the REST routes. */
export const FAKE_SDL = `
directive @cost(weight: Int!) on OBJECT | FIELD_DEFINITION
directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!]) on FIELD_DEFINITION

scalar Address
scalar Amount
scalar ChainName
scalar DateTime
scalar DecimalFraction
scalar JSON
scalar SafeInt
scalar URL
scalar UUID

enum TransactionOutput { bytecode userOperation custody instructions }
enum UsdPaymentMethod { ACH WIRE }
enum TransferSpeed { fast standard }
enum ActionStatus { INITIAL PENDING FAILED REFUNDED SUCCESS }
enum ActionType { SAMECHAIN_SWAP CROSSCHAIN_SWAP }
enum ActionSortField { createdAt updatedAt finishedAt }
enum SortOrder { asc desc }

type Quote { quoteId: UUID! provider: String! expectedAmountOut: Amount! minAmountOut: Amount! deadlineDate: DateTime! webhookURL: URL }
type SwapQuoteResult { quote: Quote! id: UUID chainId: SafeInt transactionData: JSON userOperation: JSON instructions: JSON lutsByAddress: JSON }
type ProviderQuoteOutcome { provider: String! quote: Quote error: String }
type SwapStatus { id: UUID! quoteId: UUID! status: ActionStatus! originTxHash: String }
type Asset { amountRaw: Amount! amountInUSD: String }
type Amounts { assetIn: Asset assetOut: Asset }
type Action { id: UUID! type: ActionType! status: ActionStatus! createdAt: DateTime! amounts: Amounts! }
type Pagination { page: SafeInt! limit: SafeInt! total: SafeInt! totalPages: SafeInt! hasMore: Boolean! }
type ActionPage { data: [Action!]! pagination: Pagination! }
type TokenPosition { id: String! chainId: SafeInt! address: String! amount: Amount! isNative: Boolean! }
type WalletTokens { positions: [TokenPosition!]! isTruncated: Boolean! }
type Wallet {
  address: Address!
  actions(page: Int, limit: Int): ActionPage!
  tokens(includeSpam: Boolean = false): WalletTokens!
  history(page: Int, limit: Int, status: ActionStatus, sortBy: ActionSortField, sortOrder: SortOrder): ActionPage!
  earn: WalletEarn!
}
type SmartAccount { address: Address! owner: Address! chainId: SafeInt! }
type CustomerProfile { id: ID! name: String! webhookURL: URL }
type CustomerHoldingPage { data: [JSON!]! pagination: Pagination! }
type SwapTransaction { id: UUID! chainId: SafeInt! quoteId: UUID! transactionData: [JSON!]! userOperation: JSON }

type KycProfile { kycUserId: UUID! status: String! }
type KycWallets { kycUserId: UUID! walletAddress: Address! walletAddresses: [Address!]! }
type RampLimits { provider: String! }
type KycCurrency { kycUserId: UUID! usdEnabled: Boolean! }

type Transfer { id: UUID! chainId: SafeInt! transactionData: [JSON!]! bytecode: [JSON!]! userOperation: JSON lutsByAddress: JSON }

type Query {
  "The best quote."
  swapQuote(
    originChain: ChainName, chainIdIn: ChainName, destinationChain: ChainName, chainIdOut: ChainName,
    "Input token." tokenIn: String!, tokenOut: String!, amountIn: Amount, amountOut: Amount, destinationAddress: String,
    originAddress: String, refundAddress: String, pixKey: String, thirdParty: Boolean, alias: String,
    usdPaymentMethod: UsdPaymentMethod, output: TransactionOutput, accountId: String, feeSponsorship: Boolean,
    preferredProvider: String, rampProvider: String, slippage: DecimalFraction, transferSpeed: TransferSpeed, webhookURL: URL
  ): SwapQuoteResult!
  swapQuotes(
    originChain: ChainName, chainIdIn: ChainName, destinationChain: ChainName, chainIdOut: ChainName,
    tokenIn: String!, tokenOut: String!, amountIn: Amount, amountOut: Amount
  ): [ProviderQuoteOutcome!]!
  swapStatus(id: UUID!, txHash: String, btcTxHash: String): SwapStatus!
  actions(
    walletAddress: Address!, page: Int, limit: Int, status: ActionStatus, type: ActionType, sortBy: ActionSortField, sortOrder: SortOrder
  ): ActionPage!
  action(id: UUID!): Action!
  wallet(address: Address!): Wallet!
  transfer(chainId: ChainName, originAddress: String, output: TransactionOutput, walletOrigin: String @deprecated(reason: "old")): Transfer!
  me: CustomerProfile!
  customerTokens(id: UUID!, page: Int, limit: Int): CustomerHoldingPage!
  customerTokenGroups(id: UUID!, page: Int, limit: Int): CustomerHoldingPage!
  kycStatus(kycUserId: UUID, externalUserId: String, walletAddress: Address, email: String, rampProvider: String): KycProfile!
  kycWallets(kycUserId: UUID!): KycWallets!
  rampLimits(kycUserId: UUID, walletAddress: Address, rampProvider: String): RampLimits!
  strategies(
    page: Int, limit: Int, detail: String, network: ChainName, protocol: String, category: String, asset: String, sort: String
  ): StrategyPage!
  strategyDetail(strategyId: String!, wallet: Address): StrategyDetail!
  strategyHistory(wallet: Address!, strategyId: String!, page: Int, limit: Int): PositionHistoryPage!
  strategyTransaction(id: ID!, action: String!, wallet: Address!, amount: String): StrategyTransaction!
  pendingStrategyActions(id: ID!, wallet: Address!): PendingStrategyActions!
  ping: Boolean
}

type EarnPosition { strategy: Strategy!, investmentActions: [Action!]! }
type WalletEarn { positions: [EarnPosition!]! }
type Strategy { id: ID!, apy: Float, avgApy: Float, grossAPY: Float, inceptionApy: Float, netAPY: Float, rewardAPY: Float, rewards: [StrategyReward!] }
type StrategyReward { apy: Float }
type StrategyPage { data: [Strategy!]!, pagination: Pagination! }
type StrategyTransaction { id: UUID! }
type PendingStrategyActions { hasPending: Boolean! }
type StrategyDetail { strategy: Strategy! }
type PositionChange { txHash: String! }
type PositionHistoryPage { data: [PositionChange!]!, pagination: Pagination! }

type Mutation {
  createSwapTransaction(
    quoteId: UUID!, originAddress: String, destinationAddress: String, output: TransactionOutput, accountId: String,
    pixKey: String, rawQuote: JSON, thirdParty: Boolean, webhookURL: URL
  ): SwapTransaction!
  createTransfer(chainId: ChainName, originAddress: String, output: TransactionOutput, walletOrigin: String @deprecated(reason: "old")): Transfer!
  reportActionTransaction(id: UUID!, txHash: String!): Action!
  createSmartAccount(owner: String!, chainId: SafeInt!): SmartAccount!
  createKycSession(cpf: String, email: String, walletAddress: String): KycProfile!
  submitKycEvidence(kycUserId: UUID!, rampProvider: String, firstName: String): KycProfile!
  submitKycDocument(kycUserId: UUID!, rampProvider: String, documentType: String): KycProfile!
  unlockKycCurrency(kycUserId: UUID!, rampProvider: String): KycCurrency!
  linkKycWallet(kycUserId: UUID!, walletAddress: Address!): KycWallets!
  unlinkKycWallet(kycUserId: UUID!, walletAddress: Address!): KycWallets!
  requestRefund(id: UUID!, refundAddress: String): Action!
  cancelAction(id: UUID!, wallet: Address!): Action!
}

type Subscription { ticks(count: Int!): Int! }
`;
