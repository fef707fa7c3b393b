/** A picture to try an edit on, for those who have none at hand: sky, sun, hills and water, drawn here. */

const sidePx = 512;

export async function examplePicture(): Promise<File | undefined> {
  const canvas = document.createElement('canvas');
  canvas.width = sidePx;
  canvas.height = sidePx;
  const pen = canvas.getContext('2d');
  if (pen === null) return undefined;
  draw(pen);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  return blob === null ? undefined : new File([blob], 'example.png', { type: 'image/png' });
}

function draw(pen: CanvasRenderingContext2D): void {
  const sky = pen.createLinearGradient(0, 0, 0, 340);
  sky.addColorStop(0, '#5aa9d6');
  sky.addColorStop(1, '#d7ecf6');
  pen.fillStyle = sky;
  pen.fillRect(0, 0, sidePx, 340);
  pen.fillStyle = '#ffd86b';
  disc(pen, 396, 104, 46);
  pen.fillStyle = '#7fa88a';
  hill(pen, 120, 340, 220, 110);
  pen.fillStyle = '#5f8d6e';
  hill(pen, 400, 340, 240, 80);
  const water = pen.createLinearGradient(0, 340, 0, sidePx);
  water.addColorStop(0, '#2f7fa8');
  water.addColorStop(1, '#0e4a6c');
  pen.fillStyle = water;
  pen.fillRect(0, 340, sidePx, sidePx - 340);
}

function disc(pen: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

function hill(pen: CanvasRenderingContext2D, x: number, foot: number, halfWidth: number, height: number): void {
  pen.beginPath();
  pen.ellipse(x, foot, halfWidth, height, 0, Math.PI, 0);
  pen.fill();
}
