import { type Address, createPublicClient, createWalletClient, http, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { VAULT_DEPLOYER_KEY, VAULTS } from '../../strategies/vaults';

const VAULT_ABI = parseAbi([
  'function waitingControllers() view returns (address[])',
  'function fulfil(address controller)',
]);

const POLL_MS = 500;
/** How long a request waits: long enough to be seen. */
const FULFIL_AFTER_MS = 4000;

export interface VaultOperatorOptions {
  readonly chains: readonly { readonly rpcUrl: string }[];
  readonly log: (line: string) => void;
}

/** The operator of the asynchronous vaults: fulfils each request a few seconds after it has seen it. */
export function startVaultOperator({ chains, log }: VaultOperatorOptions): { stop(): Promise<void> } {
  const operated = chains.map(({ rpcUrl }) => operateVault(rpcUrl, log));
  return {
    async stop() {
      await Promise.all(operated.map((stop) => stop()));
    },
  };
}

function operateVault(rpcUrl: string, log: VaultOperatorOptions['log']): () => Promise<void> {
  const transport = http(rpcUrl);
  const account = privateKeyToAccount(VAULT_DEPLOYER_KEY);
  const client = createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 });
  const wallet = createWalletClient({ account, transport });
  const vault = { address: VAULTS.requests, abi: VAULT_ABI } as const;
  const seenAt = new Map<Address, number>();

  const poll = async (): Promise<void> => {
    const waiting = await client.readContract({ ...vault, functionName: 'waitingControllers' });
    for (const controller of seenAt.keys()) if (!waiting.includes(controller)) seenAt.delete(controller);
    for (const controller of waiting) {
      const since = seenAt.get(controller) ?? Date.now();
      seenAt.set(controller, since);
      if (Date.now() - since < FULFIL_AFTER_MS) continue;
      const hash = await wallet.writeContract({ ...vault, functionName: 'fulfil', args: [controller], chain: null });
      await client.waitForTransactionReceipt({ hash, timeout: 10_000 });
      seenAt.delete(controller);
    }
  };

  let running: Promise<unknown> = Promise.resolve();
  let isBusy = false;
  let isReported = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    running = poll()
      .then(() => (isReported = false))
      .catch((error: unknown) => {
        // The chain is stopping, or too busy: the next poll is soon.
        if (!isReported) log(`requests of a vault wait: ${error instanceof Error ? error.name : typeof error}`);
        isReported = true;
      })
      .finally(() => (isBusy = false));
  }, POLL_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
