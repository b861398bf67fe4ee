import { type Address, getContractAddress, type Hex, pad, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { CctpDeployment } from '../../src/chains/chain';
import { initCode, ownArtifact } from '../artifacts';
import type { ChainExtension } from '../chain-extension';
import { DevnetError } from '../devnet-error';

/** Keys of those who run the protocol on the local chains: public, never send anything of value to them. */
export const CCTP_KEYS = {
  deployer: '0xcc79000000000000000000000000000000000000000000000000000000000001',
  /** Both have to sign, as on the main network. */
  attesters: [
    '0xcc79000000000000000000000000000000000000000000000000000000000002',
    '0xcc79000000000000000000000000000000000000000000000000000000000003',
  ],
} as const satisfies Record<string, Hex | readonly Hex[]>;

const DEPLOYER = privateKeyToAddress(CCTP_KEYS.deployer);
const ATTESTERS = CCTP_KEYS.attesters.map((key) => privateKeyToAddress(key));
/** An account without a known key. */
const FEE_RECIPIENT: Address = '0xFee5fEe5Fee5fEe5feE5fee5Fee5fee5fEe5feE5';

const deployedAt = (nonce: bigint): Address => getContractAddress({ from: DEPLOYER, nonce });
/** The same addresses on every local chain. */
const CONTRACTS = { messageTransmitter: deployedAt(0n), tokenMinter: deployedAt(1n), tokenMessenger: deployedAt(2n) };

/** Versions of message and burn message in the second version of the protocol. */
const MESSAGE_VERSION = 1;
const BODY_VERSION = 1;
const MAX_BODY_BYTES = 8192;
const BURN_LIMIT = parseUnits('10000000', 6);

/**
 * Traits of the local chains, modelled on Ethereum and Polygon: the first attests burns before they are final, the second
 * does not, because it is quick anyway.
 */
const DOMAINS: Readonly<Record<number, { readonly domain: number; readonly fastSource: boolean }>> = {
  31337: { domain: 0, fastSource: true },
  31338: { domain: 7, fastSource: false },
};

/** The protocol as the service's configuration describes it. @throws DevnetError for a chain without it */
export function cctpDeployment(chainId: number, usdc: Address): CctpDeployment {
  const { messageTransmitter, tokenMessenger } = CONTRACTS;
  return { ...traitsOf(chainId), tokenMessenger, messageTransmitter, usdc };
}

function traitsOf(chainId: number) {
  const traits = DOMAINS[chainId];
  if (traits === undefined) throw new DevnetError(`chain ${String(chainId)} has no domain`);
  return traits;
}

/** Circle's cross-chain transfer protocol: USDC is burned on one local chain and minted on the other. */
export const CCTP_EXTENSION: ChainExtension = {
  name: 'cctp',
  deployer: DEPLOYER,
  calls({ chainId, tokens }) {
    const { domain } = traitsOf(chainId);
    const others = Object.values(DOMAINS).flatMap((other) => (other.domain === domain ? [] : [other.domain]));
    const onOthers = (address: Address): readonly Hex[] => others.map(() => pad(address, { size: 32 }));
    const { messageTransmitter, tokenMinter, tokenMessenger } = CONTRACTS;
    const usdc = tokens.USDC.address;
    return [
      deployment('MessageTransmitter', [domain, MESSAGE_VERSION, ATTESTERS, ATTESTERS.length, MAX_BODY_BYTES]),
      deployment('TokenMinter', [tokenMessenger, usdc, BURN_LIMIT, others, onOthers(usdc)]),
      deployment('TokenMessenger', [
        ...[messageTransmitter, BODY_VERSION, tokenMinter, FEE_RECIPIENT],
        ...[others, onOthers(tokenMessenger)],
      ]),
    ];
  },
};

const deployment = (contract: string, args: readonly unknown[]) => ({
  label: `the ${contract} of CCTP`,
  data: initCode(ownArtifact(`Cctp${contract}`), args),
});
