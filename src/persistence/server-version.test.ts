import type { ClientBase } from 'pg';
import { refuseOldServer } from './server-version';

const serverOf = (number: string, version: string) =>
  ({ query: () => Promise.resolve({ rows: [{ number, version }] }) }) as unknown as Pick<ClientBase, 'query'>;

test('a server older than PostgreSQL 14 is refused with a sentence', async () => {
  await expect(refuseOldServer(serverOf('130022', '13.22 (Debian)'))).rejects.toThrow(
    'PostgreSQL 13.22 (Debian) is not supported: DATABASE_URL must name a server of version 14 or newer.',
  );
  await expect(refuseOldServer(serverOf('140000', '14.0'))).resolves.toBeUndefined();
  await expect(refuseOldServer(serverOf('170010', '17.10'))).resolves.toBeUndefined();
});
