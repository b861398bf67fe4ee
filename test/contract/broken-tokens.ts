import { type Address, getAddress, type Hex, pad } from 'viem';
import type { DevnetChain } from '../../devnet/universe';
import { createJsonRpc } from '../../devnet/json-rpc';

/** Contracts that respond to every call in the same way, by name. */
export const CONTRACTS = {
  /** Reverts without data. */
  reverts: '0x60006000fd',
  /** Reverts with an error of four bytes. */
  revertsWithReason: '0x63deadbeef6000526004601cfd',
  /** Uses all gas of the call. */
  usesAllGas: '0x5b600056',
  returnsOneByte: '0x60016000f3',
  returns33Bytes: '0x60216000f3',
  /** 2^256 - 1. */
  returnsMaximum: '0x60001960005260206000f3',
  returns8Kilobytes: '0x6120006000f3',
  returnsOneMegabyte: '0x621000006000f3',
} as const satisfies Record<string, Hex>;

export type ContractName = keyof typeof CONTRACTS;

/** Puts such a contract at an address of its own. `number` tells those of the same name apart. */
export async function placeContract(chain: DevnetChain, name: ContractName, number = 0): Promise<Address> {
  const position = Object.keys(CONTRACTS).indexOf(name) * 1000 + number;
  const address = getAddress(pad(`0xbad${position.toString().padStart(7, '0')}`, { size: 20 }));
  await createJsonRpc(chain.rpcUrl).call('anvil_setCode', [address, CONTRACTS[name]]);
  return address;
}
