import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../config/project-root';
import { SERVICE_WORK } from './customer-scope';

const SOURCES = ['src', 'gateway', 'subgraphs'].flatMap((folder) =>
  readdirSync(path.join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes(`persistence${path.sep}client`),
    )
    .map((name) => `${folder}/${name}`),
);

/** The files whose text matches, with what matched. */
function usesOf(pattern: RegExp): readonly string[] {
  return SOURCES.flatMap((file) => {
    const text = readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
    return [...text.matchAll(pattern)].map(([, matched = '']) => `${file} ${matched}`.trim());
  });
}

it('only these places read the rows of several customers, each for a reason of the table', () => {
  const uses = usesOf(/runForService\(\s*'(\w+)'/g);
  expect(uses.toSorted()).toEqual([
    'src/actions/action-feed.ts subscriptions',
    'src/actions/confirm-deposit.ts chainTransactions',
    'src/actions/report-transaction.ts chainTransactions',
    ...Array<string>(3).fill('src/auth/credentials/credential-store.ts credentials'),
    'src/auth/credentials/credential-store.ts keyUses',
    'src/kyc/open-account.ts rampAccounts',
    'src/ledger/solana/solana-watches.ts solanaWallets',
    'src/main/metrics/deployment-collectors.ts metrics',
    'src/main/open-health.ts health',
    'src/main/payment-qr-code.ts paymentQrCodes',
    'src/main/ramp-callbacks.ts rampCallbacks',
    'src/main/service.ts startUp',
    'src/main/service.ts startUp',
    'src/main/service.ts worker',
    'src/main/service.ts worker',
    'src/persistence/service-transaction-store.ts serviceWallet',
    'src/portfolio/wallet-feed.ts subscriptions',
    'src/smart-accounts/reserve-deployment.ts deployments',
  ]);
  expect(new Set(uses.map((use) => use.split(' ')[1]))).toEqual(new Set(Object.keys(SERVICE_WORK)));
});

it('no other place takes a scope, or opens connections without one', () => {
  expect(usesOf(/\b(runInScope)\(/g)).toEqual(Array(2).fill('src/persistence/separate-batches.ts runInScope'));
  expect([...new Set(usesOf(/\b(openPool|new Client)\(/g))].toSorted()).toEqual([
    'src/jobs/prepare-job-queue.ts new Client',
    'src/jobs/start-job-worker.ts openPool',
    'src/persistence/apply-migrations.ts new Client',
    'src/persistence/connection-pool.ts openPool',
    'src/persistence/database.ts openPool',
    'src/persistence/embedded/start-embedded-postgres.ts new Client',
    'src/persistence/probe-database.ts new Client',
  ]);
});

it('only commands of the operator, the seed of the embedded mode and a deployment without row-level security open the database without scopes', () => {
  expect([...new Set(usesOf(/\bopenDatabase\(/g))].toSorted()).toEqual([
    'src/admin/with-deployment.ts',
    'src/main/infrastructure.ts',
    'src/main/seed-customers.ts',
    'src/persistence/database.ts',
  ]);
});
