import { parseAbi } from 'viem';

/** @see https://github.com/circlefin/evm-cctp-contracts src/v2/TokenMessengerV2.sol */
export const tokenMessengerAbi = parseAbi([
  'function depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)',
  'function localMinter() view returns (address)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
]);

/** @see https://github.com/circlefin/evm-cctp-contracts src/v2/TokenMinterV2.sol */
export const tokenMinterAbi = parseAbi(['function burnLimitsPerMessage(address token) view returns (uint256)']);

/** @see https://github.com/circlefin/evm-cctp-contracts src/v2/MessageTransmitterV2.sol */
export const messageTransmitterAbi = parseAbi([
  'function receiveMessage(bytes message, bytes attestation) returns (bool success)',
  'function usedNonces(bytes32 nonce) view returns (uint256)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
]);
