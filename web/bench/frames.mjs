// Counts a page's frames while something is done to it.

/**
 * @returns milliseconds from frame to frame, the median and what 95 of 100 stay within; frames per
 *          second; and how often per second travellers were drawn
 */
export async function countFrames(page, act) {
    await page.evaluate(() => {
        const record = { times: [], drawn: 0, isOver: false };
        window.frameRecord = record;
        // The travellers' layer shows all dots with one such call per frame.
        const put = CanvasRenderingContext2D.prototype.putImageData;
        record.stop = () => {
            record.isOver = true;
            CanvasRenderingContext2D.prototype.putImageData = put;
        };
        CanvasRenderingContext2D.prototype.putImageData = function (...args) {
            record.drawn++;
            return put.apply(this, args);
        };
        const frame = (now) => {
            record.times.push(now);
            if (!record.isOver) requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    });
    await act();
    const { times, drawn } = await page.evaluate(() => {
        const { times, drawn, stop } = window.frameRecord;
        stop();
        return { times, drawn };
    });
    const steps = times.slice(1).map((time, i) => time - times[i]);
    const seconds = (times[times.length - 1] - times[0]) / 1000;
    steps.sort((a, b) => a - b);
    return {
        median: steps[Math.floor(steps.length / 2)],
        late: steps[Math.floor(steps.length * 0.95)],
        perSecond: steps.length / seconds,
        drawn: drawn / seconds,
    };
}

async function middleOfMap(page) {
    const box = await page.locator('.map-pane').first().boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** To and fro, for about two seconds. */
export async function dragging(page) {
    const { x, y } = await middleOfMap(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 0; i < 120; i++) {
        const angle = (i / 120) * 4 * Math.PI;
        await page.mouse.move(x + 150 * Math.sin(angle), y + 80 * Math.sin(2 * angle));
        await page.waitForTimeout(16);
    }
    await page.mouse.up();
}

/** @param direction  -1 comes nearer */
export async function wheeling(page, direction) {
    const { x, y } = await middleOfMap(page);
    await page.mouse.move(x, y);
    for (let i = 0; i < 40; i++) {
        await page.mouse.wheel(0, direction * 60);
        await page.waitForTimeout(40);
    }
}
