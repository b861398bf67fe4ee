const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

/** Example values by argument name, for the reference and its test requests. */
export const ARGUMENT_EXAMPLES: Readonly<Record<string, string | undefined>> = {
  originChain: 'base',
  destinationChain: 'base',
  tokenIn: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  tokenOut: '0x4200000000000000000000000000000000000006',
  amountIn: '5000000',
  quoteId: '01890a5d-ac96-774b-bcce-b302099a8057',
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  originAddress: WALLET,
  destinationAddress: WALLET,
  walletAddress: WALLET,
  owner: WALLET,
  chainId: '8453',
  token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amount: '5000000',
  kycUserId: '01890a5d-ac96-774b-bcce-b302099a8057',
  currency: 'USD',
  cpf: '12345678909',
  email: 'ana@example.com',
  slippage: '0.005',
  txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
};
