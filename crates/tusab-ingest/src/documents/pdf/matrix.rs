/// An affine map of the plane, as PDF writes it: `[a b c d e f]` (ISO 32000-2, 8.3.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f32; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn shift(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This map, and then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        let [xx, xy, yx, yy, left, up] = next.0;
        let row = |across: f32, along: f32| (across * xx + along * yx, across * xy + along * yy);
        let [first_x, first_y, second_x, second_y, x, y] = self.0;
        let (first, second, shift) = (row(first_x, first_y), row(second_x, second_y), row(x, y));
        Self([first.0, first.1, second.0, second.1, shift.0 + left, shift.1 + up])
    }

    pub(super) fn apply(self, x: f32, y: f32) -> (f32, f32) {
        let [xx, xy, yx, yy, left, up] = self.0;
        (xx * x + yx * y + left, xy * x + yy * y + up)
    }
}
