import { type Address, concatHex, encodeAbiParameters, type Hex, keccak256, slice } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { privateKeyToAccount } from 'viem/accounts';
import type { UserOperationV07 } from './gas-limits';

/** Signs the operations that the deployment's paymasters sponsor. */
export interface PaymasterSigner {
  readonly address: Address;
  sign(hash: Hex): Promise<Hex>;
}

export function createPaymasterSigner(privateKey: Hex): PaymasterSigner {
  const account = privateKeyToAccount(privateKey);
  return { address: account.address, sign: (hash) => account.signMessage({ message: { raw: hash } }) };
}

export interface GasSponsorship {
  readonly chainId: number;
  readonly paymaster: Address;
  /** Unix seconds after which the paymaster no longer pays. */
  readonly validUntil: number;
}

/** Two 32-byte words with the validity, and a signature. */
export const PAYMASTER_DATA_BYTES = 64 + 65;

const VALID_AFTER = 0;

/**
 * Paymaster data with a signature for exactly this operation. It covers all fields except the account's signature, so with
 * the nonce it is valid once.
 *
 * @see https://github.com/eth-infinitism/account-abstraction/blob/v0.7.0/contracts/samples/VerifyingPaymaster.sol
 */
export async function paymasterData(
  signer: PaymasterSigner,
  operation: UserOperationV07,
  sponsorship: GasSponsorship,
): Promise<Hex> {
  const validity = encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [sponsorship.validUntil, VALID_AFTER]);
  return concatHex([validity, await signer.sign(sponsorshipHash(operation, sponsorship))]);
}

/** `getHash` of the paymaster. */
export function sponsorshipHash(operation: UserOperationV07, { chainId, paymaster, validUntil }: GasSponsorship): Hex {
  const packed = toPackedUserOperation({ ...operation, paymaster, paymasterData: '0x' });
  const paymasterGasLimits = slice(packed.paymasterAndData, 20, 52);
  return keccak256(
    encodeAbiParameters(
      [
        ...[{ type: 'address' }, { type: 'uint256' }, { type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32' }],
        ...[{ type: 'bytes32' }, { type: 'uint256' }, { type: 'bytes32' }, { type: 'uint256' }, { type: 'address' }],
        ...[{ type: 'uint48' }, { type: 'uint48' }],
      ] as const,
      [
        ...([packed.sender, packed.nonce, keccak256(packed.initCode), keccak256(packed.callData)] as const),
        ...([packed.accountGasLimits, paymasterGasLimits, packed.preVerificationGas, packed.gasFees] as const),
        ...([BigInt(chainId), paymaster, validUntil, VALID_AFTER] as const),
      ],
    ),
  );
}
