import {
  type Address,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  type Hex,
  http,
  keccak256,
  parseAbi,
  toHex,
} from 'viem';
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { DevnetError } from '../../devnet-error';
import { createJsonRpc } from '../../json-rpc';

export interface UsdcChainOptions {
  /** What the ramp calls the chain. */
  readonly network: 'polygon' | 'base';
  readonly rpcUrl: string;
  readonly tokens: readonly { readonly address: Address; readonly symbol: string; readonly decimals: number }[];
}

/** A local chain on which the ramp pays USDC and takes it. Amounts are millionths. */
export interface UsdcChain {
  balanceOf(wallet: Address): Promise<bigint>;
  /** Hash of the transaction that paid. @throws DevnetError */
  pay(to: Address, amount: bigint): Promise<Hex>;
}

const mintAbi = parseAbi(['function mint(address to, uint256 value)']);
const GAS_MONEY = toHex(10n ** 21n);
const USDC_DECIMALS = 6;

/** The deposit address of a transaction, which receives no other deposits. */
export const depositAddressOf = (transactionId: string): Address =>
  privateKeyToAddress(keccak256(toHex(`secondary-ramp:${transactionId}`)));

/** Pays by minting, which local tokens allow to every account. */
export function openUsdcChain({ rpcUrl, network, tokens }: UsdcChainOptions): UsdcChain {
  const usdc = tokens.find(({ symbol }) => symbol === 'USDC');
  if (usdc?.decimals !== USDC_DECIMALS) throw new DevnetError(`the chain ${network} has no USDC`);
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 });
  // One account for each chain, used by the ramp's payments only, so that nonces do not collide.
  const account = privateKeyToAccount(keccak256(toHex('secondary-ramp:payer')));
  const wallet = createWalletClient({ account, transport: http(rpcUrl) });
  const rpc = createJsonRpc(rpcUrl);
  const { address } = usdc;
  return {
    balanceOf: (owner) => client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
    async pay(to, amount) {
      await rpc.call('anvil_setBalance', [account.address, GAS_MONEY]);
      const args = [to, amount] as const;
      const hash = await wallet.writeContract({ address, abi: mintAbi, functionName: 'mint', args, chain: null });
      const { status } = await client.waitForTransactionReceipt({ hash, timeout: 20_000, pollingInterval: 100 });
      if (status !== 'success') throw new DevnetError(`a payment of the ramp reverted: ${hash}`);
      return hash;
    },
  };
}
