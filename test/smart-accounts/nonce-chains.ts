import { type Address, decodeFunctionData, type Hex } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { serviceError } from '../../src/errors/service-error';
import type { ReleaseDeps } from '../../src/transactions/execution/user-operation/release-sponsored-gas';

type NonceRpc = ReleaseDeps['rpc'];

interface NonceChains {
  /** Number of the newest block, which has the current time; each block before is a minute older. */
  readonly head?: number;
  /** Chains that do not respond. */
  readonly down?: readonly number[];
  /** Number of executed operations of a nonce key; 0 by default. `undefined`: the read fails. */
  readonly executions?: (sender: Address, nonceKey: bigint) => bigint | undefined;
  /** Runs before each read of nonces. */
  readonly beforeRead?: (blockNumber: bigint | undefined) => Promise<unknown>;
}

const HEAD = 1000;
const MINUTE_S = 60;

/** Chains whose EntryPoint has these nonces, as the release of sponsored gas reads them. */
export function nonceChains({ head = HEAD, down = [], executions = () => 0n, beforeRead }: NonceChains = {}): NonceRpc {
  const assertUp = (chainId: number): void => {
    if (down.includes(chainId)) throw serviceError('PROVIDER_UNAVAILABLE', { provider: 'RPC', reason: 'it is down' });
  };
  const nonceOf = (data: Hex): bigint | undefined => {
    const { args } = decodeFunctionData({ abi: entryPoint07Abi, data });
    const [sender, key] = args as readonly [Address, bigint];
    const sequence = executions(sender, key);
    return sequence === undefined ? undefined : (key << 64n) + sequence;
  };
  const client = {
    getBlock: ({ blockNumber }: { readonly blockNumber: bigint }) => {
      const age = (head - Number(blockNumber)) * MINUTE_S;
      return Promise.resolve({ timestamp: BigInt(Math.floor(Date.now() / 1000) - age) });
    },
  };
  const rpc = {
    serves: () => true,
    blockNumber: (chainId: number) => {
      assertUp(chainId);
      return Promise.resolve(BigInt(head));
    },
    request: (_: number, run: (given: typeof client) => Promise<unknown>) => run(client),
    async multicall(
      _: number,
      reads: readonly { readonly data: Hex }[],
      { blockNumber }: { readonly blockNumber?: bigint },
    ) {
      await beforeRead?.(blockNumber);
      return reads.map(({ data }) => nonceOf(data));
    },
  };
  return rpc as unknown as NonceRpc;
}
