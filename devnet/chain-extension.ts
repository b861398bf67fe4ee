import type { Address } from 'viem';
import type { JsonRpc } from './json-rpc';
import type { SetupCall } from './setup-transactions';
import type { DevnetTokens } from './tokens';

/** What an extension can see of the chain that it is put on. */
export interface ExtensionContext {
  readonly chainId: number;
  readonly tokens: DevnetTokens;
}

/** Contracts beyond the venues: each extension has an account of its own that deploys them, with nonces from zero. */
export interface ChainExtension {
  readonly name: string;
  /** Sends the calls; has native coin without end and is impersonated during the set-up. */
  readonly deployer: Address;
  /** Sent in order after tokens and liquidity are there. A call without `to` deploys, at the address of its nonce. */
  readonly calls: (context: ExtensionContext) => readonly SetupCall[];
  /** Changes that no transaction can make, such as code at an address whose deployer key is unavailable. Runs before the calls. */
  readonly prepare?: (rpc: JsonRpc, context: ExtensionContext) => Promise<void>;
}
