import { randomBytes, randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import type { CustomerId } from '../auth/principal';
import { PrismaClient } from '../persistence/client/client';
import { reportedError } from '../persistence/database-outage';
import { createPersonalDataVault } from '../persistence/personal-data';
import { openProfile } from './open-profile';
import { findProfile } from './profile';
import { linkKycWallet, listKycWallets, unlinkKycWallet } from './wallets';

const vault = createPersonalDataVault({ keys: [{ version: 1, key: randomBytes(32) }], indexKey: randomBytes(32) });
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const deps = () => ({ database: test.database, vault });
const newCustomer = (): CustomerId => randomUUID() as CustomerId;
const wallet = (): string => `0x${randomBytes(20).toString('hex')}`;
const taxId = (): string => randomBytes(6).toString('hex');
const open = (customerId: CustomerId, walletAddress = wallet(), id = taxId()) =>
  openProfile(deps(), {
    customerId,
    walletAddress,
    externalUserId: undefined,
    person: { taxId: id, taxIdCountry: 'BRA', email: `${id}@example.com` },
  });
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => reportedError(error)?.code ?? String(error),
  );
/** The code of a call that waited too long for a connection or for the profile. */
const REFUSED = 'SERVICE_UNAVAILABLE';

describe('a profile', () => {
  it('is one for a person under twenty concurrent callers, and another one for another customer', async () => {
    const [customerId, address, id] = [newCustomer(), wallet(), taxId()];
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(customerId, address, id)));
    expect(new Set(opened.map(({ kycUserId }) => kycUserId)).size).toBe(1);
    const elsewhere = await open(newCustomer(), address, id);
    expect(elsewhere.kycUserId).not.toBe(opened[0]!.kycUserId);
  });

  it('is stored encrypted', async () => {
    const [customerId, id] = [newCustomer(), taxId()];
    const { kycUserId } = await open(customerId, wallet(), id);
    const row = await test.database.kycProfile.findUniqueOrThrow({ where: { id: kycUserId } });
    const stored = [row.person, row.taxIdIndex, row.emailIndex!].map((bytes) => Buffer.from(bytes).toString('latin1'));
    expect(stored.join()).not.toContain(id);
    expect((await findProfile(deps(), { customerId, kycUserId })).person.taxId).toBe(id);
  });

  it('does not exist for other customers', async () => {
    const { kycUserId } = await open(newCustomer());
    const key = { customerId: newCustomer(), kycUserId };
    expect(await codeOf(findProfile(deps(), key))).toBe('KYC_PROFILE_NOT_FOUND');
    expect(await codeOf(listKycWallets(test.database, key))).toBe('KYC_PROFILE_NOT_FOUND');
    expect(await codeOf(linkKycWallet(test.database, { ...key, address: wallet() }))).toBe('KYC_PROFILE_NOT_FOUND');
  });
});

describe('the wallets of a profile', () => {
  it('begin with the one that it was opened with, which stays the primary one', async () => {
    const [customerId, first, second] = [newCustomer(), wallet(), wallet()];
    const { kycUserId } = await open(customerId, first);
    const linked = await linkKycWallet(test.database, { customerId, kycUserId, address: second });
    expect(linked).toEqual({ kycUserId, walletAddress: first, walletAddresses: [first, second] });
    expect(await linkKycWallet(test.database, { customerId, kycUserId, address: second })).toEqual(linked);
  });

  it('make the next one primary when the primary one is unlinked, and keep the last one', async () => {
    const [customerId, first, second] = [newCustomer(), wallet(), wallet()];
    const { kycUserId } = await open(customerId, first);
    const key = { customerId, kycUserId };
    await linkKycWallet(test.database, { ...key, address: second });
    expect(await unlinkKycWallet(test.database, { ...key, address: first })).toMatchObject({ walletAddress: second });
    expect(await codeOf(unlinkKycWallet(test.database, { ...key, address: second }))).toBe('KYC_LAST_WALLET');
    expect(await codeOf(unlinkKycWallet(test.database, { ...key, address: first }))).toBe('KYC_WALLET_NOT_LINKED');
  });

  it('belong to one profile of a customer, and may belong to another customer too', async () => {
    const [customerId, address] = [newCustomer(), wallet()];
    await open(customerId, address);
    const other = await open(customerId);
    const link = { customerId, kycUserId: other.kycUserId, address };
    expect(await codeOf(linkKycWallet(test.database, link))).toBe('KYC_WALLET_ALREADY_LINKED');
    expect(await codeOf(open(customerId, address, taxId()))).toBe('KYC_WALLET_ALREADY_LINKED');
    expect(await codeOf(open(newCustomer(), address))).toBe('ok');
  });

  it('stay at least one and on one profile while two hundred callers link and unlink at once', async () => {
    const customerId = newCustomer();
    const wallets = Array.from({ length: 6 }, wallet);
    const profiles = await Promise.all([1, 2, 3].map(() => open(customerId)));
    const calls = Array.from({ length: 200 }, (_, index) => {
      const { kycUserId } = profiles[index % profiles.length]!;
      const link = { customerId, kycUserId, address: wallets[(index * 7) % wallets.length]! };
      return codeOf(index % 5 < 2 ? linkKycWallet(test.database, link) : unlinkKycWallet(test.database, link));
    });
    const expectedCodes = ['ok', 'KYC_WALLET_ALREADY_LINKED', 'KYC_WALLET_NOT_LINKED', 'KYC_LAST_WALLET'];
    for (const code of await Promise.all(calls)) expect([...expectedCodes, REFUSED]).toContain(code);
    const lists = await Promise.all(
      profiles.map(({ kycUserId }) => listKycWallets(test.database, { customerId, kycUserId })),
    );
    const linked = lists.flatMap(({ walletAddresses }) => walletAddresses);
    expect(lists.every(({ walletAddresses }) => walletAddresses.length > 0)).toBe(true);
    expect(new Set(linked).size).toBe(linked.length);
  });

  it('are exactly those whose calls succeeded, when two hundred calls exceed the connections of the database', async () => {
    const [customerId, first] = [newCustomer(), wallet()];
    const { kycUserId } = await open(customerId, first);
    const transactionOptions = { maxWait: 50, timeout: 10_000 };
    const database = new PrismaClient({ adapter: new PrismaPg(test.pool), transactionOptions });
    const holder = new Client({ connectionString: test.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM "KycProfile" WHERE id = $1 FOR UPDATE', [kycUserId]);

    const addresses = Array.from({ length: 200 }, wallet);
    const calls = addresses.map((address) => codeOf(linkKycWallet(database, { customerId, kycUserId, address })));
    // The calls that got a connection wait for the profile, the others for a connection.
    expect(await Promise.race(calls)).toBe(REFUSED);
    await holder.query('ROLLBACK');
    const codes = await Promise.all(calls);
    const late = wallet();
    await linkKycWallet(test.database, { customerId, kycUserId, address: late });

    const succeeded = addresses.filter((_, index) => codes[index] === 'ok');
    expect(codes.filter((code) => code !== 'ok').every((code) => code === REFUSED)).toBe(true);
    const { walletAddresses } = await listKycWallets(test.database, { customerId, kycUserId });
    expect([...walletAddresses].sort()).toEqual([first, ...succeeded, late].sort());
    await holder.end();
    await database.$disconnect();
  });
});
