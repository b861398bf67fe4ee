import { parseAbi } from 'viem';

const FEE = 'struct Fee { address recipient; uint256 amount; }';
const DEPOSIT =
  'struct Deposit { address market; address asset; address receipt; uint256 assets; address receiver; uint256 minReceipt; Fee[] fees; uint256 deadline; }';
const WITHDRAWAL =
  'struct Withdrawal { address market; address asset; address receipt; uint256 amount; uint256 maxReceipt; address receiver; uint256 minAssets; Fee[] fees; uint256 deadline; }';

/** Functions and errors of `contracts/StrategyRouter.sol`. */
export const ROUTER_ABI = parseAbi([
  FEE,
  DEPOSIT,
  WITHDRAWAL,
  'function depositVault(Deposit terms) returns (uint256 received)',
  'function supplyAave(Deposit terms) returns (uint256 received)',
  'function supplyComet(Deposit terms) returns (uint256 received)',
  'function redeemVault(Withdrawal terms) returns (uint256 received)',
  'function withdrawVault(Withdrawal terms) returns (uint256 received)',
  'function withdrawAave(Withdrawal terms) returns (uint256 received)',
  'function withdrawComet(Withdrawal terms) returns (uint256 received)',
  'error Expired(uint256 deadline)',
  'error InvalidReceiver(address receiver)',
  'error UnexpectedAmount(uint256 received, uint256 expected)',
  'error TooLittleReceived(uint256 received, uint256 minimum)',
  'error TooMuchTaken(uint256 taken, uint256 maximum)',
  'error ExceedsDeposit(uint256 amount, uint256 balance)',
  'error FeesExceedAssets(uint256 fees, uint256 assets)',
  'error FeeRefused(address recipient)',
  'error BalanceChanged(address token)',
]);
