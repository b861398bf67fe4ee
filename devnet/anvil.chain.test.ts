import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startAnvil } from './anvil';
import { freePort } from './free-port';

const findPort = jest.fn(freePort);

const directory = mkdtempSync(path.join(tmpdir(), 'afluente-anvil-'));
const options = {
  chainId: 31337,
  stateFile: path.join(directory, 'state.json'),
  logFile: path.join(directory, 'chain.log'),
  findPort,
};
let holder: Server;

beforeAll(async () => {
  holder = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(holder, 'listening');
});
beforeEach(() => findPort.mockReset().mockImplementation(freePort));
afterAll(() => {
  holder.close();
  rmSync(directory, { recursive: true, force: true });
});

const takenPort = (): number => (holder.address() as AddressInfo).port;

describe('startAnvil', () => {
  it('takes another port when its free one was taken before the chain listened', async () => {
    findPort.mockResolvedValueOnce(takenPort());
    const anvil = await startAnvil(options);
    try {
      expect(anvil.rpcUrl).not.toContain(String(takenPort()));
      expect(await anvil.rpc.call('eth_chainId')).toBe('0x7a69');
    } finally {
      await anvil.stop();
    }
  });

  it('fails with the words of the chain when every port was taken', async () => {
    findPort.mockResolvedValue(takenPort());
    await expect(startAnvil(options)).rejects.toThrow('Address already in use');
  });

  it('never takes another port than a required one', async () => {
    findPort.mockResolvedValue(takenPort());
    await expect(startAnvil({ ...options, port: takenPort() })).rejects.toThrow('Address already in use');
    expect(findPort).toHaveBeenCalledTimes(1);
  });
});
