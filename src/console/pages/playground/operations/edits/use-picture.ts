/** The picture that is to be edited: chosen by the person or the example, with its size, which painting needs. */

import { useEffect, useState } from 'react';
import { examplePicture } from './example-picture.ts';
import type { Size } from './mask.ts';

export interface ChosenPicture {
  readonly file: File;
  readonly size: Size;
}

/** Outlives a look at another tab. */
let chosen: ChosenPicture | undefined;

interface PictureChoice {
  readonly picture: ChosenPicture | undefined;
  /** The file was no picture. */
  readonly isUnreadable: boolean;
  choose(file: File): Promise<boolean>;
  chooseExample(): Promise<boolean>;
}

export function usePicture(): PictureChoice {
  const [picture, setPicture] = useState(chosen);
  const [isUnreadable, setIsUnreadable] = useState(false);
  const choose = async (file: File): Promise<boolean> => {
    const size = await sizeOf(file);
    setIsUnreadable(size === undefined);
    if (size === undefined) return false;
    chosen = { file, size };
    setPicture(chosen);
    return true;
  };
  const chooseExample = async (): Promise<boolean> => {
    const file = await examplePicture();
    return file !== undefined && choose(file);
  };
  useEffect(() => {
    if (chosen === undefined) void chooseExample();
  }, []);
  return { picture, isUnreadable, choose, chooseExample };
}

async function sizeOf(file: Blob): Promise<Size | undefined> {
  try {
    const bitmap = await createImageBitmap(file);
    const size = { width: bitmap.width, height: bitmap.height };
    bitmap.close();
    return size;
  } catch {
    return undefined;
  }
}
