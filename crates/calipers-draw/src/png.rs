//! SVG to PNG, with a font of our own: the same picture on every machine.

use std::sync::Arc;

use resvg::{tiny_skia, usvg};

/// DejaVu Sans, which has Latin, Greek, Cyrillic, Hebrew and Arabic letters.
const FONT: &[u8] = include_bytes!("fonts/DejaVuSans.ttf");

/// So many pixels for one unit of the drawing.
const SCALE: f32 = 2.0;

/// Turns a drawing that stands alone into the bytes of a PNG file.
///
/// # Errors
/// A reason in words: text that is no SVG, or a size that there is no memory for.
pub fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_font_data(FONT.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().scale_by(SCALE).ok_or("the drawing has no size")?.to_int_size();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or("there is no memory for the picture")?;
    let scale = tiny_skia::Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| error.to_string())
}
