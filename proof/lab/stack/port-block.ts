import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'

/** Works on the block of ports that begins with `base`; without it, on a free block. */
export const withPortBlock = async <Result>(
  base: number | undefined,
  work: (base: number) => Promise<Result>,
): Promise<Result> => {
  if (base !== undefined) return work(base)
  const block = await reserveFreeBlock()
  try {
    return await work(block.base)
  } finally {
    await block.release()
  }
}
