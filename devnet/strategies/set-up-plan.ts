import { type Address, getContractAddress, type Hex } from 'viem';
import type { SetupCall } from '../setup-transactions';

/** Transactions of one account from its first nonce on, which know the addresses of what they deploy. */
export interface SetUpPlan {
  readonly calls: readonly SetupCall[];
  /** Adds a deployment. Returns its address. */
  deploy(label: string, data: Hex): Address;
  call(label: string, call: { readonly to: Address; readonly data: Hex; readonly value?: bigint }): void;
}

export function createSetUpPlan(from: Address): SetUpPlan {
  const calls: SetupCall[] = [];
  return {
    calls,
    deploy(label, data) {
      const address = getContractAddress({ from, nonce: BigInt(calls.length) });
      calls.push({ label, data });
      return address;
    },
    call(label, call) {
      calls.push({ label, ...call });
    },
  };
}
