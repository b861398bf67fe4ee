import { type Address, encodeFunctionData, parseAbi, zeroAddress } from 'viem';
import { SAFE } from '../../src/smart-accounts/safe-contracts';
import { type LocalWallet, sendCall } from './local-operations';

const factory = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address)',
  'function setup(address[] owners, uint256 threshold, address to, bytes data, address handler, address token, uint256 payment, address receiver)',
  'function enableModules(address[] modules)',
  'event ProxyCreation(address indexed proxy, address singleton)',
]);

/** Deploys a Safe with other settings than the service's. It has the module when that is its fallback handler. */
export async function deployedSafe(
  wallet: LocalWallet,
  owners: readonly Address[],
  { threshold, handler }: { readonly threshold: bigint; readonly handler: Address },
): Promise<Address> {
  const modules = encodeFunctionData({ abi: factory, functionName: 'enableModules', args: [[SAFE.module4337]] });
  const [to, data] = handler === zeroAddress ? ([zeroAddress, '0x'] as const) : ([SAFE.moduleSetup, modules] as const);
  const initializer = encodeFunctionData({
    abi: factory,
    functionName: 'setup',
    args: [owners, threshold, to, data, handler, zeroAddress, 0n, zeroAddress],
  });
  const creation = {
    abi: factory,
    functionName: 'createProxyWithNonce',
    args: [SAFE.singleton, initializer, 7n],
  } as const;
  const { result } = await wallet.simulateContract({ ...creation, address: SAFE.proxyFactory });
  await sendCall(wallet, { to: SAFE.proxyFactory, data: encodeFunctionData(creation) });
  return result;
}
