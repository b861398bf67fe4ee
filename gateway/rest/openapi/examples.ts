import type { ExampleValues } from '../../edge/example-values';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export type ArgumentExamples = Readonly<Record<string, unknown>>;

/** Example values by name of the argument, or by operation and argument where an operation needs another value, or none. */
export const argumentExamples = ({
  chain,
  chainId,
  tokenIn,
  tokenOut,
  amountIn,
  wallet,
  recipient,
}: ExampleValues): ArgumentExamples => ({
  originChain: chain,
  destinationChain: chain,
  tokenIn,
  tokenOut,
  amountIn,
  quoteId: ID,
  id: ID,
  // `GET /customers/me` returns the id of the caller's customer; any other one is refused.
  'Query.customerTokens.id': undefined,
  'Query.customerTokenGroups.id': undefined,
  originAddress: wallet,
  destinationAddress: wallet,
  'Mutation.createTransfer.destinationAddress': recipient,
  'Query.transfer.destinationAddress': recipient,
  walletAddress: wallet,
  'Query.wallet.address': wallet,
  wallet,
  action: 'lend',
  'Query.strategyTransaction.id': `Aave-USDC-${chain}`,
  'Query.pendingStrategyActions.id': `Aave-USDC-${chain}`,
  // The demos register the other wallet, for another person.
  'Mutation.createKycSession.walletAddress': recipient,
  owner: wallet,
  chainId: String(chainId),
  token: tokenIn,
  amount: amountIn,
  strategyId: `Aave-USDC-${chain}`,
  currency: 'USD',
  documentType: 'PASSPORT',
  file: { url: 'https://storage.example.org/passport.jpg' },
  cpf: '12345678909',
  email: 'ana@example.com',
  slippage: '0.005',
  txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
});
